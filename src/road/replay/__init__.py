"""Rows in host memory, and the one sampler that knows of two sources."""
