"""The page, the figure and the findings of a comparison of many runs."""
