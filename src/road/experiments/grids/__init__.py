"""The grids that ship with ROAD: the paper's tables and figures, and the yardstick for mixers."""
