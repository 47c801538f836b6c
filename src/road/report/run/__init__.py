"""The page of one or several runs, and of a replay under other settings."""
