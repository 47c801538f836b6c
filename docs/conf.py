"""How the documents are built: ``sphinx-build -W -b html docs docs/_build/html``."""

import re
import sys
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike
from sphinx.util.typing import stringify_annotation

from road.version import __version__

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "ROAD"
author = "the road-o2o contributors"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "commands", "api"]
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88
myst_heading_anchors = 3
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"ROAD {release}"
html_show_copyright = False

SPELT_OUT = {
    re.escape(stringify_annotation(ArrayLike, "smart")): "ArrayLike",
    r"~numpy\.ndarray\[[^\[\]]*\[[^\[\]]*\], ~?numpy\.dtype\[([^\[\]]*)\]\]": r"NDArray[\1]",
}
"""NumPy's two names for arrays, which an annotation has lost by the time it is printed."""


def shorten(_: Any, __: str, *about: Any) -> tuple[str | None, ...]:
    """Name the types of arrays as the code does, in a signature and in what it answers."""
    parts = about[-2:]
    for long, short in SPELT_OUT.items():
        parts = tuple(part and re.sub(long, short, part) for part in parts)
    return parts


def keep_whole(_: Any, what: str, *about: Any) -> None:
    """Give a field's sentence its beginning back, which napoleon takes for a type at a colon."""
    lines: list[str] = about[-1]
    for place, line in enumerate(lines):
        if what in ("attribute", "property") and line.startswith(":type: "):
            lines[0] = f"{line.removeprefix(':type: ')}: {lines[0]}"
            del lines[place]


def escape_bars(*about: Any) -> None:
    """A bar, as in log pi(a|s) or in |x|, begins no substitution; in code it stays as it is."""
    lines: list[str] = about[-1]
    lines[:] = [line if "`" in line else line.replace("|", r"\|") for line in lines]


def setup(app: Any) -> None:
    app.connect("autodoc-process-signature", shorten)
    app.connect("autodoc-process-docstring", escape_bars)
    app.connect("autodoc-process-docstring", keep_whole, priority=900)  # after napoleon
