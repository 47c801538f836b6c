"""Where the jobs of a grid are run: on this machine, or on a Ray cluster."""
