"""A table of results, task by method, for a page, a README and a paper.

The best mean of a row is bold, the best fixed ratio underlined, as in the paper; means that are
printed alike are marked alike. A missing cell is a dash. With the paper's numbers given, its line
stands below ours.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from road.report.journal import Floats
from road.report.markup import HIDDEN, Markup, escape, tag
from road.report.tables import table
from road.report.writing import UNKNOWN, signed

DIGITS = 2
"""After the point, as the paper prints them."""
IN_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "±": r"$\pm$", "−": r"$-$", "–": "--", "κ": r"$\kappa$", "τ": r"$\tau$", "∞": r"$\infty$",
    "Δ": r"$\Delta$", "·": r"$\cdot$",
}  # fmt: skip
"""What LaTeX would obey or cannot print; other letters are left to its fonts."""


@dataclass(frozen=True)
class Results:
    """Means and deviations ``[task, method]``; NaN where there is none."""

    tasks: tuple[str, ...]
    methods: tuple[str, ...]
    means: Floats
    deviations: Floats
    fixed: tuple[int, ...] = ()
    """Which of the methods are constant ratios."""

    def aligned(self, tasks: Sequence[str], methods: Sequence[str]) -> "Results":
        """The same for other tasks and methods; what is not known of them is NaN."""
        means, deviations = (
            np.array([[self.look_up(cells, task, method) for method in methods] for task in tasks])
            for cells in (self.means, self.deviations)
        )
        constants = {self.methods[index] for index in self.fixed}
        fixed = tuple(index for index, name in enumerate(methods) if name in constants)
        return Results(tuple(tasks), tuple(methods), means, deviations, fixed)

    def look_up(self, cells: Floats, task: str, method: str) -> float:
        if task not in self.tasks or method not in self.methods:
            return np.nan
        return float(cells[self.tasks.index(task), self.methods.index(method)])


@dataclass(frozen=True)
class Cell:
    """What stands in a table, before any markup."""

    text: str
    best: bool = False
    best_fixed: bool = False


@dataclass(frozen=True)
class Line:
    """A row: what it is of, whose it is (nothing, if all are ours), and its cells."""

    name: str
    source: str
    cells: tuple[Cell, ...]


def lines_of(ours: Results, paper: Results | None = None, digits: int = DIGITS) -> list[Line]:
    """Every task, then the average over those tasks that every method has."""
    if paper is None:
        return list(lines_from(ours, "", digits))
    theirs = paper.aligned(ours.tasks, ours.methods)
    pairs = zip(lines_from(ours, "ours", digits), lines_from(theirs, "paper", digits), strict=True)
    return [line for pair in pairs for line in pair]


def lines_from(results: Results, source: str, digits: int) -> Iterable[Line]:
    rows = zip(results.tasks, results.means, results.deviations, strict=True)
    for task, means, deviations in rows:
        yield Line(task, source, cells_from(means, deviations, results.fixed, digits))
    whole = np.isfinite(results.means).all(axis=1)
    count = int(whole.sum())
    average = results.means[whole].mean(axis=0) if count else np.full(len(results.methods), np.nan)
    name = (
        "Average"
        if count == len(results.tasks)
        else f"Average of {count} {'task' if count == 1 else 'tasks'}"
    )
    yield Line(
        name, source, cells_from(average, np.full_like(average, np.nan), results.fixed, digits)
    )


def cells_from(
    means: Floats, deviations: Floats, fixed: Sequence[int], digits: int
) -> tuple[Cell, ...]:
    printed = np.round(means, digits)
    best = np.nanmax(printed) if np.isfinite(printed).any() else np.nan
    constant = printed[list(fixed)]
    best_fixed = np.nanmax(constant) if np.isfinite(constant).any() else np.nan
    return tuple(
        Cell(
            written(mean, deviation, digits),
            best=bool(rounded == best),
            best_fixed=index in fixed and bool(rounded == best_fixed),
        )
        for index, (mean, deviation, rounded) in enumerate(
            zip(means.tolist(), deviations.tolist(), printed.tolist(), strict=True)
        )
    )


def written(mean: float, deviation: float, digits: int) -> str:
    if not np.isfinite(mean):
        return UNKNOWN
    spread = f" ± {deviation:.{digits}f}" if np.isfinite(deviation) else ""
    return signed(f"{mean:.{digits}f}") + spread


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
    last = 2 if paper else 1
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
