"""Transitions in host memory, and the sampler of both sources."""
