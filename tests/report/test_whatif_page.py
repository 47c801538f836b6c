"""``road whatif``: a table, a page that says what it is, and one line where there is nothing."""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from road.cli import main
from road.mixing import Controller, RoadMixer, ValidatedMixer

WriteRun = Callable[..., Path]


def answer(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    code = main(["whatif", *map(str, words)])
    reported = capsys.readouterr()
    return code, reported.out, reported.err


def test_the_runs_own_settings_agree_with_it(
    write_run: WriteRun, capsys: pytest.CaptureFixture[str]
):
    code, out, _ = answer(capsys, write_run())
    assert code == 0
    rows = out.splitlines()
    assert rows[0].split("  ")[-1] == "as the run"
    assert rows[1].startswith("as it ran") and rows[1].endswith("100%")
    assert rows[2].startswith("κ = 1, τ = 1000, c = 2 ") and rows[2].endswith("100%")
    assert "choices only" in out


def test_a_foreign_loops_draws_are_replayed_by_its_own_seed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    controller = Controller(RoadMixer(scale="standardised", window=30), seed=5)
    for period in range(40):
        controller.end_period(offline_advantage=math.sin(9 * period), online_advantage=0.0)
    _, out, _ = answer(capsys, controller.save(tmp_path / "loop"))
    own = out.splitlines()[2]
    assert own.startswith("κ = 1, τ = 30, c = 2, standardised ")
    assert own.endswith("100%")


def test_a_run_with_another_credit_is_marked(
    write_run: WriteRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    controller = Controller(RoadMixer(arms=(0.1, 0.5), credit="next-return"))
    for period in range(30):
        controller.end_period(offline_advantage=0.1, online_advantage=0.0, mean_return=0.5 * period)
    folder = controller.save(tmp_path / "loop")
    _, out, _ = answer(capsys, folder)
    assert "The run itself was credited with something else (next return)" in out
    assert "something else (next return)" in (folder / "whatif.html").read_text()
    assert "something else" not in answer(capsys, write_run())[1]


def test_a_run_with_a_removed_option_is_refused(
    write_run: WriteRun, capsys: pytest.CaptureFixture[str]
):
    folder = write_run()
    config = json.loads((folder / "config.json").read_text())
    config["mixer"] |= {"choice": "thompson"}
    (folder / "config.json").write_text(json.dumps(config))
    code, _, error = answer(capsys, folder)
    assert code == 2
    assert "choice='thompson' of mixer 'road' no longer exists" in error


def test_several_values_make_several_rows(write_run: WriteRun, capsys: pytest.CaptureFixture[str]):
    words = "--exploration 0.1 2 --window None 20 --penalty 0.5 --scale standardised"
    _, out, _ = answer(capsys, write_run(arm_effect=4.0), *words.split())
    for row in ("τ = all, c = 0.1", "τ = 20, c = 0.1", "τ = all, c = 2", "τ = 20, c = 2"):
        assert f"κ = 0.5, {row}, standardised" in out


def test_the_page_shows_every_row_and_says_what_it_is(
    write_run: WriteRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "deep" / "page.html"
    words = ["--exploration", "0.1", "2", "--out", out]
    code, reported, _ = answer(capsys, write_run(), *words)
    page = out.read_text()
    assert (code, f"picture: {out}" in reported) == (0, True)
    assert "These are choices only" in page
    assert len(re.findall('<svg class="plot"', page)) == 3
    assert "κ = 1, τ = 1000, c = 0.1" in page
    assert not re.search(r"https?://|<script|<link", page)


def test_a_run_of_another_mixer_is_replayed_with_the_papers_settings(
    write_run: WriteRun, capsys: pytest.CaptureFixture[str]
):
    _, out, _ = answer(capsys, write_run(mixer="uniform"), "--arms", "0.1", "0.5")
    assert "κ = 1, τ = 1000, c = 2 " in out
    assert out.splitlines()[2].split()[9:14] == ["50%", "0%", "0%", "0%", "50%"]


def without_advantages(folder: Path) -> Path:
    path = folder / "mixer.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows = [{**row, "offline_advantage": None, "online_advantage": None} for row in rows]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def test_nothing_to_replay_is_said_in_one_line(
    write_run: WriteRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    short = write_run("short")
    text = (short / "mixer.jsonl").read_text()
    (short / "mixer.jsonl").write_text("".join(text.splitlines(keepends=True)[:5]))
    cases: list[tuple[list[str | Path], str]] = [
        ([tmp_path], "is not a run folder"),
        ([without_advantages(write_run("blind"))], "no advantages were recorded"),
        ([short], "5 periods with advantages are too few"),
        ([write_run("one", "fixed")], "one ratio only, m = 0.5"),
        ([write_run("line", "decreasing")], "50 ratios in 50 periods are a schedule"),
        ([write_run("road"), "--arms", "0.1", "0.9"], "m = 0.9 was never run"),
        ([write_run("wrong"), "--exploration", "-1"], "exploration (c) must be 0 or more"),
        ([write_run("odd"), "--scale", "log"], "--scale"),
        ([write_run("many"), "--window", *map(str, range(1, 43))], "42 combinations"),
    ]
    for words, said in cases:
        code, out, error = answer(capsys, *words)
        assert (code, out) == (2, ""), words
        assert error.startswith("error: ") and error.count("\n") == 1 and said in error, error


def tenths(line: str) -> list[float]:
    return [float(word) for word in line.split("discount")[-1].split()[-11:-1]]


def test_a_run_with_probes_is_replayed_on_their_errors(
    write_probed: WriteRun, capsys: pytest.CaptureFixture[str]
):
    folder = write_probed(slope=0.5)
    code, out, _ = answer(capsys, folder, "--preference", "0.5", "0", "2")
    _, ran, own, without, more = out.splitlines()[:5]
    assert code == 0
    assert own.startswith("Bellman 10, return 0, preference 0.5, discount 0.9  ")
    assert tenths(own) == tenths(ran) and own.endswith("0.00")
    assert tenths(without)[-1] < tenths(own)[-1] < tenths(more)[-1]
    assert "on the recorded errors these choices are exact" in out
    assert "at other ratios the main learner would have collected other transitions" in out


def test_weights_and_some_of_the_probes_can_be_asked_about(
    write_probed: WriteRun, capsys: pytest.CaptureFixture[str]
):
    words = "--bellman-weight 0 --return-weight 5 --discount 1 --ratios 0 0.9 --preference 0"
    _, out, _ = answer(capsys, write_probed(slope=2.0), *words.split())
    row = out.splitlines()[2]
    assert row.startswith("Bellman 0, return 5, preference 0, discount 1, 0 0.9  ")
    # exp(-5 · 2 · 0.9) of the weight remains for 0.9; before the first return both weigh the same.
    assert tenths(row)[0] > 0.2
    assert tenths(row)[-1] == 0.0


def test_a_controller_s_errors_are_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    controller = Controller(ValidatedMixer(interval=2, return_weight=3.0))
    for step in range(30):
        controller.observe_errors([1.0, 1.1, 1.2, 1.3, 1.4 + math.sin(step)])
    folder = controller.save(tmp_path / "loop")
    code, out, _ = answer(capsys, folder, "--discount", "0.9", "0.3")
    assert code == 0
    assert out.splitlines()[2].startswith("Bellman 10, return 3, preference 0.5, discount 0.9")
    assert out.splitlines()[2].endswith("0.00")
    assert not out.splitlines()[3].endswith("0.00")


def test_the_page_shows_every_path_beside_the_recorded_one(
    write_probed: WriteRun, capsys: pytest.CaptureFixture[str]
):
    folder = write_probed(slope=1.0)
    answer(capsys, folder, "--return-weight", "0", "20")
    page = (folder / "whatif.html").read_text()
    assert "these choices are exact" in page
    assert len(re.findall('<svg class="plot"', page)) == 3
    assert page.count('class="trace reading"') == page.count('class="trace offline"') == 3
    assert not re.search(r"https?://|<script|<link", page)


def test_flags_of_the_other_kind_of_mixer_are_refused(
    write_run: WriteRun, write_probed: WriteRun, capsys: pytest.CaptureFixture[str]
):
    probed = write_probed("probed")
    cases: list[tuple[list[str | Path], str]] = [
        ([probed, "--window", "3", "--arms", "0.1"], "--window, --arms would change nothing"),
        ([write_run("road"), "--return-weight", "3"], "--return-weight would change nothing"),
        ([probed, "--ratios", "0", "0.7"], "no probe had the ratio 0.7"),
        ([probed, "--ratios", "0.5"], "ratios must be two or more"),
        ([probed, "--discount", "0"], "discount must lie above 0"),
        ([probed, "--bellman-weight", "0"], "both 0"),
        ([probed, "--preference", *map(str, range(42))], "42 combinations"),
    ]
    for words, said in cases:
        code, out, error = answer(capsys, *words)
        assert (code, out) == (2, ""), words
        assert error.startswith("error: ") and error.count("\n") == 1 and said in error, error
