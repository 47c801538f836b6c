"""JAX building blocks: networks, distributions and the gradient step. No reinforcement learning."""
