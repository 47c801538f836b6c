"""Studies from numbers to files: plain data, whole files, the same bytes again."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from road.cli import main
from road.errors import StorageError
from road.mixing import FixedMixer
from road.theory.finetuning import ByMixer, finetune
from road.theory.mdp import soft_greedy
from road.theory.output import STUDIES, draw, make, write_whole
from road.theory.problems import random_problems
from road.theory.samples import interval, plain_data
from road.theory.studies.bilevel import evaluate
from road.theory.studies.credit_quality import (
    correlation,
    credit_quality,
    perturb,
    relative_loss,
)
from road.theory.studies.gradient import ALWAYS_LESS, agreement, curves, equal_signs

PICTURES = {
    "chain": ("chain", "chain-readings"),
    "bilevel": ("bilevel", "bilevel-credits"),
}


def test_interval_by_hand():
    """1, 2, 3: mean 2, standard deviation 1, half width 1.96 / sqrt(3). NaN does not count."""
    found = interval(np.array([1.0, np.nan, 2.0, 3.0]))
    half = 1.96 / np.sqrt(3.0)
    assert found["mean"] == 2.0
    assert (found["low"], found["high"]) == pytest.approx((2.0 - half, 2.0 + half))
    assert found["count"] == 3
    assert np.isnan(interval(np.array([np.nan]))["mean"])


def test_numbers_become_plain_data():
    found = plain_data({"a": np.array([1.23456789, np.nan]), "b": (np.int64(3), "x"), "c": None})
    assert found == {"a": [1.23457, None], "b": [3, "x"], "c": None}
    assert json.loads(json.dumps(found)) == found


def test_correlation_over_the_arms_by_hand():
    """Rising, falling and flat credits against a rising return."""
    returns = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0]])
    credits = np.array([[1.0, 5.0, 7.0], [2.0, 3.0, 7.0], [3.0, 1.0, 7.0]])
    np.testing.assert_allclose(correlation(credits, returns), [1.0, -1.0, np.nan])
    np.testing.assert_allclose(relative_loss(credits, returns), [0.0, 1.0, 0.5])


def test_problems_without_a_slope_are_left_out():
    votes = equal_signs(np.array([[1.0, -1.0, 1.0]]), np.array([[2.0, 1.0, 0.0]]))
    assert (votes["mean"], votes["count"]) == (0.5, 2)


def test_a_constant_answer_is_right_wherever_the_return_falls_and_nowhere_else():
    """And the one-step direction, judged by fresh rows, gives that very answer."""
    problem, _ = random_problems(6, 0)
    found = agreement(next(finetune(problem, ByMixer(FixedMixer(0.5)), 1)))
    blind = found[ALWAYS_LESS]
    assert (blind["J rises"]["mean"], blind["J falls"]["mean"]) == (0.0, 1.0)
    votes = blind["J rises"]["count"] + blind["J falls"]["count"]
    assert votes >= blind["all"]["count"] == 6
    assert found["one step: TD loss on fresh rows"]["says less"] > 0.9


def test_the_problem_that_is_drawn_is_one_of_disagreement():
    """Between its ends J and G have slopes of opposite signs."""
    problem, _ = random_problems(24, 0)
    found = curves(problem)["gradients"]
    middle = slice(15, 35)  # m = 0.3 to 0.7
    assert (np.array(found["true"][middle]) * np.array(found["perceived"][middle]) < 0.0).all()


def test_regret_is_what_was_possible_less_what_was_reached():
    """Two rounds on three problems, by hand. Poor: 1, then 1 + 2. Good: 0 - 1. Mixed: nothing."""
    problem, _ = random_problems(3, 0)
    first = next(finetune(problem, ByMixer(FixedMixer(0.5)), 1))
    rounds = [
        replace(first, reached=np.array([4.0, 5.0, 6.0]), possible=np.array([5.0, 5.0, 6.0])),
        replace(first, reached=np.array([4.0, 7.0, 7.0]), possible=np.array([6.0, 6.0, 7.0])),
    ]
    quality = np.array(["poor", "good", "mixed"])
    found = evaluate(rounds, np.full((2, 3), 5.0), np.full(3, 8.0), quality)
    np.testing.assert_allclose(found["regret"]["mean"], [1 / 3, 2 / 3])
    assert [found["regret_by_data"][name]["mean"] for name in quality] == [3.0, -1.0, 0.0]
    np.testing.assert_allclose(found["beside_exact"]["mean"], [0.0, 1.0])
    # Short by 4, 3, 2 and then by 4, 1, 1.
    assert found["short_of_optimal"]["mean"] == pytest.approx(2.5)


def test_a_noisy_critic_leads_its_policy_and_a_blended_one_does_not():
    problem, _ = random_problems(3, 0)
    now = next(finetune(problem, ByMixer(FixedMixer(0.5)), 1)).now
    noisy, blended = (
        perturb(now, 0.5, blend, noise, np.random.default_rng(0))
        for blend, noise in ((1.0, 0.5), (0.5, 0.0))
    )
    own = now.outcome(now.mix(0.5))
    np.testing.assert_allclose(
        noisy.policy, soft_greedy(noisy.critic, now.inner.inverse_temperature)
    )
    assert np.abs(noisy.policy - own.policy).max() > 0.01
    np.testing.assert_allclose(blended.policy, own.policy)


def test_less_offline_data_is_a_credit_like_any_other():
    """Its quality does not depend on the critic."""
    problem, quality = random_problems(3, 1)
    levels = credit_quality(problem, np.array(quality), 0)["levels"]
    exact, own = (levels[f"λ = {blend}"]["−m (no credit)"] for blend in (0, 1))
    assert exact == own


def test_r_q_is_the_same_for_every_ratio_with_an_exact_critic():
    """At kappa = 1 it is the same for every arm; at kappa = 0 it orders them perfectly."""
    problem, quality = random_problems(3, 1)
    exact = credit_quality(problem, np.array(quality), 0)["levels"]["λ = 0"]
    assert exact["R_q (κ = 1)"]["informed"] == 0.0
    assert exact["Δ_off (κ = 0)"]["with_return"]["mean"] == pytest.approx(1.0)


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path):
    first, again = (make("landscape", tmp_path / name, None, 0, lambda _: None) for name in "ab")
    assert [path.name for path in first] == ["landscape.json", "landscape.svg", "landscape.png"]
    assert all(one.read_bytes() == two.read_bytes() for one, two in zip(first, again, strict=True))
    assert b"<dc:date>" not in first[1].read_bytes()


RECORDED = sorted((Path(__file__).parents[2] / "docs" / "images" / "theory").glob("*.json"))


def test_every_study_is_recorded_in_the_docs():
    assert {path.stem for path in RECORDED} == set(STUDIES)


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_pictures_follow_from_the_numbers_alone(path: Path):
    """And each of them is in the docs."""
    drawn = draw(path.stem, json.loads(path.read_text("utf-8")))
    titles = PICTURES.get(path.stem, (path.stem,))
    assert set(drawn) == {f"{title}.{kind}" for title in titles for kind in ("svg", "png")}
    for name, content in drawn.items():
        if name.endswith(".svg"):
            assert content.rstrip().endswith(b"</svg>")
            assert (path.parent / name).is_file()
        else:
            assert content.startswith(b"\x89PNG")


def test_computing_a_study_loads_no_matplotlib():
    """It is loaded when a figure is drawn, and then it must be visible in this very check."""
    script = """
import sys
from road.theory.output import STUDIES, draw, import_study
from road.theory.samples import plain_data
studies = {name: import_study(name) for name in STUDIES}
numbers = plain_data(studies["landscape"].compute(1, 0, lambda _: None))
assert "matplotlib" not in sys.modules
draw("landscape", numbers)
assert "matplotlib" in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=300)


@pytest.mark.integration
def test_the_command_computes_draws_and_names_its_files(tmp_path: Path):
    run_theory("gradient", tmp_path)


@pytest.mark.slow
def test_every_study_computes_and_draws(tmp_path: Path):
    run_theory("all", tmp_path)
    assert {path.stem for path in tmp_path.glob("*.json")} == set(STUDIES)


def run_theory(name: str, out: Path) -> None:
    words = [sys.executable, "-m", "road.cli", "theory", name, "--seeds", "6", "--out", str(out)]
    answer = subprocess.run(words, capture_output=True, text=True, timeout=600)
    assert answer.returncode == 0, answer.stderr
    named = set(answer.stdout.splitlines())
    assert named == {str(path) for path in out.iterdir()}
    assert all(path.stat().st_size > 500 for path in out.iterdir())


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["landscap"], 2, "did you mean 'landscape'"),
        (["zzz"], 2, "known: chain, landscape"),
        ([], 2, "required"),
        (["chain", "--seeds", "5"], 2, "seeds >= 6"),
        (["chain", "--seeds", "some"], 2, "seeds"),
        (["chain", "--seed", "-1"], 2, "seed >= 0"),
        (["landscape", "--out", "/proc/theory"], 7, "cannot be written"),
    ],
)
def test_bad_input_is_one_line(
    words: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
):
    assert main(["theory", *words]) == code
    error = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error:")]
    assert len(error) == 1
    assert message in error[0]


def test_a_folder_that_cannot_be_written_fails_before_anything_is_computed(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")

    def never(done: float) -> None:
        raise AssertionError(f"computed up to {done}")

    with pytest.raises(StorageError, match="choose another folder"):
        make("landscape", tmp_path / "file" / "below", None, 0, never)


def test_nothing_is_written_before_everything_is_drawn(tmp_path: Path):
    """Stopped in the middle, a study leaves the earlier files as they were."""

    def stop(done: float) -> None:
        raise KeyboardInterrupt(done)

    (tmp_path / "landscape.json").write_text("earlier")
    with pytest.raises(KeyboardInterrupt):
        make("landscape", tmp_path, None, 0, stop)
    assert [path.read_text() for path in tmp_path.iterdir()] == ["earlier"]


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path):
    (tmp_path / "taken.json").mkdir()
    with pytest.raises(StorageError):
        write_whole(tmp_path / "taken.json", b"{}")
    assert [path.name for path in tmp_path.iterdir()] == ["taken.json"]
