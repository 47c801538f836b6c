"""Logged experience: read from anywhere, checked once, and kept in one form."""
