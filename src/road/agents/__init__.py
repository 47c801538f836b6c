"""The learning algorithms, one file per paper."""
