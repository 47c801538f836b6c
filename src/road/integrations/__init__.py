"""ROAD inside other libraries, and runs for trackers to show.

Each is a module of its own that needs its library alone.

Importing this package imports none of them: ``from road.integrations.sb3 import ...``.
"""
