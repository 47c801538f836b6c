"""Tables in three formats, read back by parsers that do not depend on how they were written."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from markdown_it import MarkdownIt

from road.report.grid.cells import Results, lines_of
from road.report.grid.tables import (
    escape_latex,
    escape_markdown,
    html_table,
    latex_table,
    markdown_table,
)

METHODS = ("Fixed 0", "Fixed 0.5", "Uniform", "ROAD")
OURS = Results(
    tasks=("maze", "pole"),
    methods=METHODS,
    means=np.array([[10.0, 30.0, 20.0, 40.0], [-5.0, np.nan, 1.0, 0.0]]),
    deviations=np.array([[1.0, 2.5, np.nan, 0.0], [0.25, np.nan, 1.0, 1.0]]),
    fixed=(0, 1),
)
PAPER = Results(
    tasks=("pole", "elsewhere"),
    methods=("ROAD", "Fixed 0"),
    means=np.array([[7.0, 9.0], [1.0, 1.0]]),
    deviations=np.full((2, 2), np.nan),
    fixed=(1,),
)
EXPECTED = [
    ["Task", "Fixed 0", "Fixed 0.5", "Uniform", "ROAD"],
    ["maze", "10.00 ± 1.00", "30.00 ± 2.50", "20.00", "40.00 ± 0.00"],
    ["pole", "−5.00 ± 0.25", "–", "1.00 ± 1.00", "0.00 ± 1.00"],
    ["Average of 1 task", "10.00", "30.00", "20.00", "40.00"],
]
BOLD = {"40.00 ± 0.00", "1.00 ± 1.00", "40.00"}
UNDERLINED = {"30.00 ± 2.50", "−5.00 ± 0.25", "30.00"}
NASTY = ["a|b", "<script>alert(1)</script>", "x_1 & 50% $y$ #2 {z} ~^", "*b* _i_ `c` [l](u)", "\\"]


class Reader(HTMLParser):
    """Rows of cells as text, and the texts inside of b and u."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.marked: dict[str, set[str]] = {"b": set(), "strong": set(), "u": set()}
        self.open: list[str] = []
        self.others: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list) -> None:  # noqa: ARG002 -- the parser's signature
        self.open.append(tag)
        self.others.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self.open.remove(tag)

    def handle_data(self, data: str) -> None:
        if not {"td", "th"} & set(self.open):
            return
        self.rows[-1][-1] += data
        for mark in set(self.marked) & set(self.open):
            self.marked[mark].add(data)


def read_markdown(text: str) -> Reader:
    return Reader(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))


def read_latex(text: str) -> tuple[list[list[str]], set[str], set[str]]:
    """Rows, what is bold and what is underlined, by LaTeX's own separators."""
    lines = [line for line in text.splitlines() if line.endswith(r"\\")]
    rows = [re.split(r"(?<!\\) & ", line.removesuffix(r" \\")) for line in lines]
    bold, underlined, plain = set(), set(), []
    for row in rows:
        plain.append([])
        for cell in row:
            shown = cell.replace("$\\pm$", "±").replace("$-$", "−").replace("--", "–")
            words = re.sub(r"\\(textbf|underline)|[{}]", "", shown)
            bold |= {words} if r"\textbf" in shown else set()
            underlined |= {words} if r"\underline" in shown else set()
            plain[-1].append(words)
    return plain, bold, underlined


def test_markdown_reads_back():
    read = read_markdown(markdown_table(OURS))
    assert read.rows == EXPECTED
    assert (read.marked["strong"], read.marked["u"]) == (BOLD, UNDERLINED)


def test_html_reads_back():
    read = Reader(html_table(OURS))
    assert read.rows == EXPECTED
    assert (read.marked["b"], read.marked["u"]) == (BOLD, UNDERLINED)


def test_latex_reads_back():
    text = latex_table(OURS)
    assert read_latex(text) == (EXPECTED, BOLD, UNDERLINED)
    assert text.startswith("\\begin{tabular}{lcccc}\n\\toprule\n")
    assert text.endswith("\\bottomrule\n\\end{tabular}\n")
    assert text.count("\\midrule") == 2


@pytest.mark.parametrize("read", ["markdown", "html", "latex"])
def test_the_papers_line_is_below_ours(read: str):
    rows = {
        "markdown": lambda: read_markdown(markdown_table(OURS, PAPER)).rows,
        "html": lambda: Reader(html_table(OURS, PAPER)).rows,
        "latex": lambda: read_latex(latex_table(OURS, PAPER))[0],
    }[read]()
    assert rows[0] == ["Task", "", *METHODS]
    assert rows[1][1] == rows[2][1] == "ours"  # the paper has nothing on the first task
    assert rows[2][:3] == ["pole", "ours", "−5.00 ± 0.25"]
    assert rows[3] == ["", "paper", "9.00", "–", "–", "7.00"]
    assert [row[0] for row in rows[4:]] == ["Average of 1 task"]  # the paper's pole lacks methods


def test_equal_as_printed_is_marked_equally():
    """10.004 and 10.001 are both printed as 10.00."""
    close = Results(
        ("t",), ("Fixed 0", "ROAD"), np.array([[10.004, 10.001]]), np.full((1, 2), np.nan), (0,)
    )
    cells = lines_of(close)[0].cells
    assert [cell.best for cell in cells] == [True, True]
    assert [cell.best_fixed for cell in cells] == [True, False]
    finer = lines_of(close, digits=3)[0].cells
    assert [cell.best for cell in finer] == [True, False]


def test_a_cell_of_fewer_runs_says_so():
    counts = np.array([[4, 4, 3, 4], [4, 0, 4, 4]])
    texts = [cell.text for cell in lines_of(replace(OURS, counts=counts))[0].cells]
    assert texts == ["10.00 ± 1.00", "30.00 ± 2.50", "20.00 (n = 3)", "40.00 ± 0.00"]
    assert lines_of(replace(OURS, counts=counts))[1].cells[1].text == "–"


def test_averages_of_ours_and_of_the_paper_are_over_the_same_tasks():
    """The paper has no maze, and lacks two of the methods."""
    whole = replace(OURS, means=np.array([[10.0, 30.0, 20.0, 40.0], [1.0, 2.0, 3.0, 4.0]]))
    ours, paper, all_of_ours = lines_of(whole, PAPER)[-3:]
    assert ours.name == "Average of 1 task"
    assert [cell.text for cell in ours.cells] == ["1.00", "2.00", "3.00", "4.00"]
    assert [cell.text for cell in paper.cells] == ["9.00", "–", "–", "7.00"]
    assert (all_of_ours.name, all_of_ours.source) == ("Average", "ours")
    assert [cell.text for cell in all_of_ours.cells] == ["5.50", "16.00", "11.50", "22.00"]
    assert [line.average for line in lines_of(whole, PAPER)] == [False] * 3 + [True] * 3


def test_a_negative_zero_is_a_zero():
    tiny = Results(("t",), ("m",), np.array([[-0.001]]), np.full((1, 1), np.nan))
    assert lines_of(tiny)[0].cells[0].text == "0.00"


def test_a_row_without_any_run_has_dashes_and_no_mark():
    nothing = Results(("t",), ("Fixed 0",), np.full((1, 1), np.nan), np.full((1, 1), np.nan), (0,))
    for line in lines_of(nothing):
        assert line.cells[0].text == "–"
        assert not line.cells[0].best and not line.cells[0].best_fixed


@pytest.mark.parametrize("name", NASTY)
def test_names_survive_markdown_and_html(name: str):
    odd = Results((name,), (name,), np.ones((1, 1)), np.ones((1, 1)))
    for read in (read_markdown(markdown_table(odd)), Reader(html_table(odd))):
        assert read.rows[0][1] == read.rows[1][0] == name
        assert "script" not in read.others and "a" not in read.others
        assert [len(row) for row in read.rows] == [2, 2, 2]


@pytest.mark.parametrize("name", NASTY)
def test_names_can_do_nothing_in_latex(name: str):
    """Every character that LaTeX obeys is behind a backslash or inside of a command for it."""
    shown = escape_latex(name)
    known = r"\\(textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar)\{\}"
    rest = re.sub(r"\\[{}$&#%_]", "", re.sub(known, "", shown))
    assert not re.search(r"[\\{}$&#%_~^]", rest)
    assert len(escape_markdown(name).splitlines()) == 1


def test_letters_of_the_paper_are_written_as_latex_writes_them():
    assert escape_latex("κ = ∞, τ = t") == r"$\kappa$ = $\infty$, $\tau$ = t"


def test_line_breaks_and_controls_do_not_break_a_table():
    odd = Results(("a\nb\x00\u202ec",), ("m",), np.ones((1, 1)), np.ones((1, 1)))
    assert len(markdown_table(odd).splitlines()) == 4
    assert len(latex_table(odd).splitlines()) == 9
    assert "\x00" not in latex_table(odd) and "\u202e" not in markdown_table(odd)
