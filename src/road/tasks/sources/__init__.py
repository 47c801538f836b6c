"""Where datasets come from: each module makes an environment and the data logged in it."""
