"""Logs of graded quality for any environment: from chance, a learner, a controller or a policy."""
