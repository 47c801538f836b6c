"""Experiments as data: what the paper printed, to stand next to what we measured."""
