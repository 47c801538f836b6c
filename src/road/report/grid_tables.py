"""A table of results, task by method, for a page, a README and a paper.

The best mean of a row is bold, the best fixed ratio underlined, as in the paper. A missing cell is
a dash. With the paper's numbers given, its line stands below ours.
"""

import re
from collections.abc import Callable, Sequence

from road.report.grid_cells import DIGITS, Cell, Line, Results, lines_of
from road.report.markup import HIDDEN, Markup, escape, tag
from road.report.tables import table

__all__ = ["Results", "html_table", "latex_table", "markdown_table"]

IN_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "±": r"$\pm$", "−": r"$-$", "–": "--", "κ": r"$\kappa$", "τ": r"$\tau$", "∞": r"$\infty$",
    "Δ": r"$\Delta$", "·": r"$\cdot$",
}  # fmt: skip
"""What LaTeX would obey or cannot print; other letters are left to its fonts."""


def markdown_table(ours: Results, paper: Results | None = None, digits: int = DIGITS) -> str:
    """For GitHub and its relatives; an underline has no sign of its own there but a tag."""
    lines = lines_of(ours, paper, digits)
    rows = text_rows(lines, ours.methods, in_markdown, marked_in_markdown)
    width = len(rows[0])
    names = width - len(ours.methods)
    ruler = ["---"] * names + ["---:"] * (width - names)
    return "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], ruler, *rows[1:]]) + "\n"


def latex_table(ours: Results, paper: Results | None = None, digits: int = DIGITS) -> str:
    """A tabular in the paper's looks; it needs the package booktabs."""
    lines = lines_of(ours, paper, digits)
    head, *rows = (
        " & ".join(row) + r" \\"
        for row in text_rows(lines, ours.methods, in_latex, marked_in_latex)
    )
    columns = "l" * (2 if paper else 1) + "c" * len(ours.methods)
    last = sum(line.average for line in lines)
    body = [head, r"\midrule", *rows[:-last], r"\midrule", *rows[-last:]]
    parts = [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(parts) + "\n"


def html_table(ours: Results, paper: Results | None = None, digits: int = DIGITS) -> Markup:
    """For a report's page, in its style."""
    rows = text_rows(lines_of(ours, paper, digits), ours.methods, str, marked_in_html)
    return table(rows[0], rows[1:])


def text_rows(
    lines: Sequence[Line],
    methods: Sequence[str],
    written_name: Callable[[str], str],
    written_cell: Callable[[Cell], str],
) -> list[list[str]]:
    """Heads first. A task is named once; whose line it is stands beside it."""
    sourced = lines[0].source != ""
    head = ["Task", *([""] if sourced else []), *map(written_name, methods)]
    rows = [
        [
            written_name(line.name if line.source != "paper" else ""),
            *([line.source] if sourced else []),
            *map(written_cell, line.cells),
        ]
        for line in lines
    ]
    return [head, *rows]


def marked_in_markdown(cell: Cell) -> str:
    shown = f"<u>{cell.text}</u>" if cell.best_fixed else cell.text
    return f"**{shown}**" if cell.best else shown


def in_markdown(name: str) -> str:
    """A bar would end the cell even behind a backslash in some readers: it becomes an entity."""
    plain = escape(" ".join(name.split()))
    return re.sub(r"([\\`*_{}\[\]()#+!~$])", r"\\\1", plain).replace("|", "&#124;")


def marked_in_latex(cell: Cell) -> str:
    shown = in_latex(cell.text)
    shown = rf"\underline{{{shown}}}" if cell.best_fixed else shown
    return rf"\textbf{{{shown}}}" if cell.best else shown


def in_latex(name: str) -> str:
    plain = HIDDEN.sub("", " ".join(name.split()))
    return "".join(IN_LATEX.get(letter, letter) for letter in plain)


def marked_in_html(cell: Cell) -> Markup:
    shown = tag("u", cell.text) if cell.best_fixed else Markup(escape(cell.text))
    return tag("b", shown) if cell.best else shown
