"""How much of the agents' code repeats itself: what two papers share belongs into one place."""

import ast
from collections import defaultdict
from pathlib import Path

from tests.docs.reading import SOURCE

RUN = 6
"""Lines that must repeat in a row before they count."""
MOST = 0.08


def counted_lines(path: Path) -> list[str]:
    """The lines of a file with white space folded, docstrings included.

    Blank lines, comments, imports and lines of punctuation alone do not count.
    """
    text = path.read_text("utf-8")
    imports = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    folded = [
        " ".join(line.split())
        for number, line in enumerate(text.splitlines(), 1)
        if number not in imports
    ]
    return [line for line in folded if any(map(str.isalnum, line)) and not line.startswith("#")]


def repeated_share(files: list[list[str]]) -> float:
    """The share of lines in a run of ``RUN`` or more that is found in another place as well."""
    found = defaultdict[tuple[str, ...], list[tuple[int, int]]](list)
    for file, lines in enumerate(files):
        for begin in range(len(lines) - RUN + 1):
            found[tuple(lines[begin : begin + RUN])].append((file, begin))
    repeated = {
        (file, line)
        for places in found.values()
        if len(places) > 1
        for file, begin in places
        for line in range(begin, begin + RUN)
    }
    return len(repeated) / sum(map(len, files))


def test_the_share_by_hand():
    """Six of ten lines are those of the other file; five in a row would not count."""
    one, other = list("abcdefghij"), list("ABcdefghIJ")
    assert repeated_share([one, other]) == 12 / 20
    assert repeated_share([one, [*"ABCdefghIJ"]]) == 0.0


def test_agents_repeat_little():
    share = repeated_share([counted_lines(path) for path in sorted(SOURCE.glob("agents/*.py"))])
    assert share <= MOST, f"{share:.1%} of the lines in agents/ are repeated, at most {MOST:.0%}"
