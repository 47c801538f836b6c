"""Where datasets come from: one file per kind of source, none knows another."""
