"""A table of results, task by method, for a page, a README and a paper.

The best mean of a row is bold, the best fixed ratio underlined, as in the paper. A missing cell is
a dash. With the paper's numbers given, its line is below ours.
"""

import re
from collections.abc import Callable, Sequence

from road.report.draw.markup import HIDDEN, Markup, escape, tag
from road.report.draw.tables import table
from road.report.grid.cells import DIGITS, Cell, Line, Results, lines_of

IN_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "±": r"$\pm$", "−": r"$-$", "–": "--", "κ": r"$\kappa$", "τ": r"$\tau$", "∞": r"$\infty$",
    "Δ": r"$\Delta$", "·": r"$\cdot$",
}  # fmt: skip
"""Commands of LaTeX and letters that it cannot print; others depend on its fonts."""


def markdown_table(ours: Results, paper: Results | None = None, digits: int = DIGITS) -> str:
    """For GitHub and similar readers; Markdown has no sign for an underline, so it is a tag."""
    lines = lines_of(ours, paper, digits)
    rows = text_rows(lines, ours.methods, escape_markdown, mark_in_markdown)
    return markdown_rows(rows, len(rows[0]) - len(ours.methods))


def markdown_rows(rows: Sequence[Sequence[str]], names: int) -> str:
    """A table whose first columns are names, and its first row their heads."""
    ruler = ["---"] * names + ["---:"] * (len(rows[0]) - names)
    return "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], ruler, *rows[1:]]) + "\n"


def latex_table(ours: Results, paper: Results | None = None, digits: int = DIGITS) -> str:
    """A tabular in the paper's style; it needs the package booktabs."""
    lines = lines_of(ours, paper, digits)
    head, *rows = (
        " & ".join(row) + r" \\"
        for row in text_rows(lines, ours.methods, escape_latex, mark_in_latex)
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
    rows = text_rows(lines_of(ours, paper, digits), ours.methods, str, mark_in_html)
    return table(rows[0], rows[1:])


def text_rows(
    lines: Sequence[Line],
    methods: Sequence[str],
    written_name: Callable[[str], str],
    written_cell: Callable[[Cell], str],
) -> list[list[str]]:
    """Heads first. A task is named once; whose line it is is written beside it."""
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


def mark_in_markdown(cell: Cell) -> str:
    shown = f"<u>{cell.text}</u>" if cell.best_fixed else cell.text
    return f"**{shown}**" if cell.best else shown


def escape_markdown(name: str) -> str:
    """A bar would end the cell even behind a backslash in some readers: it becomes an entity."""
    plain = escape(" ".join(name.split()))
    return re.sub(r"([\\`*_{}\[\]()#+!~$])", r"\\\1", plain).replace("|", "&#124;")


def mark_in_latex(cell: Cell) -> str:
    shown = escape_latex(cell.text)
    shown = rf"\underline{{{shown}}}" if cell.best_fixed else shown
    return rf"\textbf{{{shown}}}" if cell.best else shown


def escape_latex(name: str) -> str:
    plain = HIDDEN.sub("", " ".join(name.split()))
    return "".join(IN_LATEX.get(letter, letter) for letter in plain)


def mark_in_html(cell: Cell) -> Markup:
    shown = tag("u", cell.text) if cell.best_fixed else Markup(escape(cell.text))
    return tag("b", shown) if cell.best else shown
