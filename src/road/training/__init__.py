"""From a dataset to a fine-tuned agent: two loops, evaluation, and a run that survives a kill."""
