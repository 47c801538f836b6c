"""The theory page keeps to its tests and to the numbers behind its figures."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

from road.theory.studies.bilevel import CHOOSERS

TESTS = Path(__file__).parent
DOCS = TESTS.parents[1] / "docs"
PAGE = (DOCS / "theory.md").read_text("utf-8")
AS_WRITTEN = {
    "ROAD": "ROAD, as in the paper",
    "ROAD, standardised": "ROAD, standardised, c = 0.5",
    "bandit on true J": "the same bandit, credited with the true J",
    "arm of best R_q": "the arm of best R_q, all arms tried",
    "exact best ratio": "the exact best ratio of each round",
    "Algorithm 1, sources": "Algorithm 1 over the shares of all batches",
    "Algorithm 1, pairs": "Algorithm 1 over free weights of pairs",
}


def numbers(study: str) -> Any:
    return json.loads((DOCS / "images" / "theory" / f"{study}.json").read_text("utf-8"))


def row(first: str) -> list[float]:
    """All numbers of a table's row, by its first cell."""
    (line,) = [line for line in PAGE.splitlines() if line.startswith(f"| {first} |")]
    cells = line.removeprefix(f"| {first} |").replace("−", "-")
    return [float(found) for found in re.findall(r"-?\d+(?:\.\d+)?", cells)]


def test_every_test_that_the_page_names_exists():
    known = {
        node.name
        for path in TESTS.glob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef)
    }
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(named) > 15
    assert named <= known


@pytest.mark.parametrize("chooser", CHOOSERS)
def test_the_table_of_choosers_is_what_was_computed(chooser: str):
    found = numbers("bilevel")["random"][chooser]
    regret, by_data = found["regret"], found["regret_by_data"]
    bounds = [regret[part][-1] for part in ("mean", "low", "high")]
    parts = [by_data[quality]["mean"] for quality in ("poor", "mixed", "good")]
    written = row(AS_WRITTEN.get(chooser, chooser))
    if chooser == "exact best ratio":
        bounds = bounds[:1]
    assert written[:-1] == pytest.approx([*bounds, *parts], abs=0.051)
    assert written[-1] == pytest.approx(found["return"]["mean"][-1], abs=0.0051)


JUDGES = numbers("bellman")["levels"]["noisy, exact"]


@pytest.mark.parametrize("judge", JUDGES)
def test_the_table_of_judges_is_what_was_computed(judge: str):
    """Correlations with J, the loss of the first column, and agreement with dJ/dm."""
    found = numbers("bellman")
    exact, sampled, certain = (
        found["levels"][level][judge]["with_return"]
        for level in ("noisy, exact", "noisy, one next state", "deterministic, exact")
    )
    lost = found["levels"]["noisy, exact"][judge]["lost"]["mean"]
    agrees = found["noisy"]["agrees_with_gradient"][judge]["mean"]
    expected = [exact["mean"], exact["low"], exact["high"], sampled["mean"], certain["mean"], lost]
    written = row(judge)
    assert written[:-1] == pytest.approx(expected, abs=0.0051)
    assert written[-1] == pytest.approx(100 * agrees, abs=0.51)


def test_what_the_page_says_of_the_bound_is_what_was_computed():
    for kind, said in (("noisy", 83), ("deterministic", 57)):
        bound = numbers("bellman")[kind]["bound"]
        assert bound["holds"] == 1.0
        assert bound["vacuous"] < 0.0075
        assert 100 * bound["vacuous_by_visits"] == pytest.approx(said, abs=0.5)
    noise = numbers("bellman")["noisy"]["noise"]["mean"]
    assert [100 * noise[0], 100 * noise[-1]] == pytest.approx([22, 12], abs=0.51)


def test_what_the_page_says_of_a_common_target_is_what_was_computed():
    rows = numbers("bellman")["levels"]["noisy, 200 rows"]
    said = {
        "−error, common target": (0.61, 0.53, 0.69),
        "−error, new transitions": (0.41, 0.31, 0.52),
        "−error over variance": (0.57, 0.48, 0.66),
    }
    for judge, expected in said.items():
        found = rows[judge]["with_return"]
        written = (found["mean"], found["low"], found["high"])
        assert written == pytest.approx(expected, abs=0.0051)


def test_what_the_page_says_of_the_chain_and_of_the_lean_is_what_was_computed():
    chain = numbers("bellman")["chain"]
    said = {"deterministic": (-0.66, -0.83), "noisy": (0.92, -0.90)}
    for kind, (low, high) in said.items():
        assert chain[kind]["low"]["with_return"] == pytest.approx(low, abs=0.0051)
        assert chain[kind]["high"]["with_return"] == pytest.approx(high, abs=0.0051)
    good = chain["deterministic"]["high"]
    assert min(good["errors"]) == good["errors"][3]
    assert good["errors"][-1] / min(good["errors"]) == pytest.approx(1.4, abs=0.03)
    assert (good["returns"][0], good["returns"][-1]) == pytest.approx((0.5987, 0.6006), abs=6e-5)
    for kind, said in (("noisy", (-0.07, -0.18)), ("deterministic", (-0.06, -0.24))):
        lean = numbers("bellman")[kind]["lean"]
        found = [lean[name]["mean"] for name in ("−error, new transitions", "−m (no credit)")]
        assert found == pytest.approx(said, abs=0.0051)


def test_the_table_of_claims_is_what_was_computed():
    counts = numbers("chain")["counts"]
    low, high, rises, *_, ordered, everything = counts.values()
    assert row("low-quality data favours m = 0.1") == [low["holds"], 120, low["reversed"]]
    assert row("high-quality data favours m = 0.5") == [high["holds"], high["reversed"]]
    assert row("Δ_off rises throughout, both data, both ratios") == [rises["holds"]]
    clear = ordered["holds"] + ordered["reversed"]
    preference = "R_q prefers the ratio that the return prefers, where it prefers one"
    assert row(preference) == [ordered["holds"], clear, ordered["reversed"]]
    assert row("all of these") == [everything["holds"]] == [0]


def test_what_the_page_says_of_blind_answers_is_what_was_computed():
    for iteration in ("iteration 1", "iteration 5", "iteration 15"):
        found = numbers("gradient")["agreement"][iteration]
        blind, step = found["always: less offline data"], found["one step: TD loss on fresh rows"]
        assert step["says less"] > 0.98
        assert step["all"]["mean"] <= blind["all"]["mean"]
