"""How the documents are built: ``sphinx-build -W -b html docs docs/_build/html``."""

from road.version import __version__

project = "ROAD"
author = "the road-rl contributors"
version = release = __version__

extensions = ["myst_parser"]
myst_heading_anchors = 3
# What a grid's report wrote is shown by the page that includes it.
exclude_patterns = [
    "_build",
    *(f"results/*/{name}.md" for name in ("about", "findings", "results")),
]

html_theme = "furo"
html_title = f"ROAD {release}"
html_show_copyright = False
