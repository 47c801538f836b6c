"""Documents, docstrings, comments, messages and names of tests use the field's standard terms."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.docs.reading import ROOT, SOURCE, documents

CODE = (SOURCE, *(ROOT / name for name in ("tests", "benchmarks", "examples")))
INSTEAD = {
    r"\bhearts?\b": "road.mixing",
    r"\brooms?\b": "package; of memory or a disk: space",
    r"\bhouse\b": "code base, repository",
    r"\blaws?\b": "contract, contract test, property",
    r"\bwhoever\b": "the caller, the user, a process that",
    r"\bnobody\b": "no user, no process, none",
    r"\bsomebody\b": "a user, another process",
    r"\banew\b": "again",
    r"\bheard\b|\bhears\b": "received, credited",
    r"\b(?:can ?not|could not|not to) be told\b": "is statistically indistinguishable from",
    r"\btold\b": "given, reported, received",
    r"\bbrought\b": "supplied, gained, gave",
    r"\bhangs? on\b": "depends on",
    r"\bvouch\w*": "untrusted, checked by",
    r"\bknow(?:s|ing)? nothing\b": "does not depend on; of credits: uninformative",
    r"\bspeaks? (?:for|against)\b": "selects, ranks highest or lowest",
    r"\bdata diet\b": "offline/online sampling ratio",
    r"\bhonest\b": "Limitations and negative results",
    r"\bstands? (?:in|beside|at|for|there|alone)\b": "is in, is beside, represents",
}
"""What must not be written, and what to write."""
BARE = {"told", "heard", "brought", "written", "said", "settled"}
"""Participles that do not say what a function does or returns."""
TEXTS = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}


@cache
def texts() -> dict[str, str]:
    """Every document whole; of every file of code its strings, comments and names of functions."""
    found = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in documents()}
    for path in sorted(each for folder in CODE for each in folder.rglob("*.py")):
        if path != Path(__file__):
            found[str(path.relative_to(ROOT))] = words_of(path.read_text("utf-8"))
    return found


def words_of(code: str) -> str:
    """The strings, comments and names of functions of some code, on the lines on which they are."""
    lines = [*map(name_defined_in, code.split("\n")), ""]
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type in TEXTS:
            for number, line in enumerate(without_names(token.string).split("\n"), token.start[0]):
                lines[number - 1] += f"{line} "
    return "\n".join(lines)


def name_defined_in(line: str) -> str:
    """The words of a function's name; of a line that defines none, nothing."""
    found = re.match(r" *def (\w+)", line)
    return found[1].replace("_", " ") + " " if found else ""


def without_names(text: str) -> str:
    """Until Python 3.12 an f-string is one token, with the names that it formats."""
    return re.sub(r"\{[^{}]*\}", "", text) if re.match("[rR]?[fF]", text) else text


def uses(pattern: str) -> Iterator[str]:
    for name, text in texts().items():
        for number, line in enumerate(text.split("\n"), 1):
            for found in re.finditer(pattern, line, re.IGNORECASE):
                yield f"{name}:{number}: {found[0]}"


@pytest.mark.parametrize("pattern", INSTEAD)
def test_words_are_those_of_the_field(pattern: str):
    found = list(uses(pattern))
    shown = "\n".join(found[:20])
    assert not found, f"{len(found)} uses; write instead: {INSTEAD[pattern]}\n{shown}"


def test_functions_are_verbs_or_name_what_they_return():
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.name}"
        for path in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name in BARE
    ]
    assert not found, "name what it does or what it returns\n" + "\n".join(found)


def test_a_text_is_read_on_its_line():
    """A comment, a docstring, a message and a function's name are read; other names are not."""
    code = 'def heart():\n    """One room."""\n    return f"{heart()} told"  # anew\n'
    assert [line.split() for line in words_of(code).split("\n")][:3] == [
        ["heart"],
        ['"""One', 'room."""'],
        ['f"', 'told"', "#", "anew"],
    ]
