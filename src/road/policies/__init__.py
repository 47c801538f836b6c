"""Trained policies as NumPy arrays: loaded from a run, and written to files. No JAX is needed."""

from road.policies.load import load_policy
from road.policies.policy import Policy

__all__ = ["Policy", "load_policy"]
