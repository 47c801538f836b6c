"""Pictures of a comparison, read back as XML: what is drawn is what was given."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import numpy as np
import pytest

from road.report.draw.curves import MethodCurves, Pretraining, curve_panels, overlay_curves
from road.report.draw.distributions import profiles_plot
from road.report.draw.markup import Markup
from road.report.draw.matrix import improvement_matrix, score_matrix
from road.report.draw.palette import method_colours, method_strokes
from road.report.draw.ratio_maps import Time, choice_map, ratio_map
from road.report.draw.rows import dip_strip, regret_bars
from road.statistics import Estimate

METHODS = ("Fixed 0", "Fixed 0.5", "ROAD")
COLOURS = method_colours(METHODS, (0, 1), "ROAD")
STEPS = np.array([0.0, 50.0, 100.0])


def elements(drawn: Markup, tag: str, look: str | None = None) -> list[ElementTree.Element]:
    found = ElementTree.fromstring(drawn).iter(tag)
    return [each for each in found if look is None or each.get("class", "") == look]


def words(drawn: Markup) -> list[str]:
    return [each.text or "" for each in elements(drawn, "text")]


def hovers(drawn: Markup) -> list[str]:
    return [each.text or "" for each in elements(drawn, "title")]


def percent(element: ElementTree.Element, name: str) -> float:
    return float(element.get(name, "").removesuffix("%"))


def curves(seeds: int = 3) -> Iterator[MethodCurves]:
    for place, name in enumerate(METHODS):
        scores = np.tile([20.0, 10.0, 60.0 + place], (seeds, 1)) + np.arange(seeds)[:, None]
        yield MethodCurves(name, STEPS, scores, scores.min(0), scores.max(0))


def test_overlaid_curves_have_a_band_a_mean_and_every_seed():
    drawn = overlay_curves(list(curves()), COLOURS)
    assert len(elements(drawn, "path", "band")) == 3
    assert len(elements(drawn, "path", "curve")) == 3
    assert len(elements(drawn, "path", "seed")) == 9
    assert "ROAD: 63.0" in str(drawn)


def test_pretraining_is_left_of_the_switch():
    before = Pretraining(np.array([0.0, 10.0]), np.array([[0.0, 20.0], [0.0, 22.0]]))
    alone, after = (overlay_curves(list(curves()), COLOURS, each) for each in (None, before))
    assert len(elements(after, "path", "seed")) == len(elements(alone, "path", "seed")) + 2
    assert "updates" in words(after)
    assert "updates" not in words(alone)


def test_panels_show_one_method_each_before_the_others():
    drawn = curve_panels(list(curves()), COLOURS)
    assert len(elements(drawn, "svg", "plot")) == 3
    # Of each its mean; its three seeds and the means of all three, thin.
    assert len(elements(drawn, "path", "curve")) == 3
    assert len(elements(drawn, "path", "seed")) == 3 * (3 + 3)
    assert "step 100: 63.0" in hovers(drawn)


def test_a_ratio_map_is_as_strong_as_the_ratio():
    drawn = ratio_map(METHODS, np.array([[0.0, 0.0], [0.5, 0.5], [0.1, np.nan]]), Time(2000.0))
    strengths = {
        each[0].text: each.get("style") for each in elements(drawn, "rect", "cell") if len(each)
    }
    assert strengths == {
        "Fixed 0.5, steps 0 to 2k: m = 0.50": "fill-opacity:1.000",
        "ROAD, steps 0 to 1k: m = 0.10": "fill-opacity:0.200",
    }
    assert [word for word in words(drawn) if re.fullmatch(r"0\.\d\d", word)] == [
        "0.00", "0.50", "0.10",
    ]  # fmt: skip


def test_a_method_without_a_ratio_has_a_dash():
    assert "–" in words(ratio_map(("BR",), np.full((1, 3), np.nan), Time(10.0)))


def test_many_moments_are_taken_together():
    ratios = np.tile(np.linspace(0.1, 0.9, 1000), (3, 1))
    drawn = ratio_map(METHODS, ratios, Time(1000.0))
    assert len(elements(drawn, "rect", "cell")) == 3 * 50
    assert "ROAD, steps 0 to 20: m = 0.11" in hovers(drawn)


def test_a_choice_map_shows_the_share_of_seeds():
    """Of four seeds at two moments: 0.1, 0.1, 0.5, unknown; then all 0.5."""
    ratios = np.array([[0.1, 0.5], [0.1, 0.5], [0.5, 0.5], [np.nan, 0.5]])
    drawn = choice_map(ratios, Time(100.0))
    assert set(hovers(drawn)) == {
        "m = 0.1, steps 0 to 50: 67% of seeds",
        "m = 0.5, steps 0 to 50: 33% of seeds",
        "m = 0.5, steps 50 to 100: 100% of seeds",
    }
    assert [word for word in words(drawn) if "%" in word] == ["29%", "71%"]  # 2 and 5 of 7


def test_many_ratios_are_counted_by_tenths():
    drawn = choice_map(np.linspace(0, 0.99, 60).reshape(3, 20), Time(100.0))
    assert "0.9–1.0" in words(drawn)


def test_a_score_matrix_prints_every_score_and_a_dash():
    drawn = score_matrix(("maze",), METHODS, np.array([[10.0, np.nan, 30.0]]))
    assert {"maze", "10.0", "–", "30.0", *METHODS} == set(words(drawn))
    assert "maze, ROAD: 30.0" in hovers(drawn)
    styles = [each.get("style") for each in elements(drawn, "rect", "ground")]
    assert styles == [
        "fill:var(--score);fill-opacity:0.000",
        "fill:var(--score);fill-opacity:0.450",
    ]


def test_a_star_marks_intervals_that_leave_out_one_half():
    point = np.array([[0.5, 0.8, 0.6], [0.2, 0.5, 0.5], [0.4, 0.5, 0.5]])
    drawn = improvement_matrix(METHODS, Estimate(point, point - 0.15, point + 0.15))
    shown = [word for word in words(drawn) if word.startswith("0.")]
    assert shown == ["0.80*", "0.60", "0.20*", "0.50", "0.40", "0.50"]
    assert "P(Fixed 0 > Fixed 0.5) = 0.80 (0.65 to 0.95)" in hovers(drawn)


def test_profiles_have_bands_for_those_asked_only():
    thresholds = np.linspace(0, 100, 5)
    shares = np.linspace(1.0, 0.0, 5)[:, None] * np.ones(3)
    strokes = dict.fromkeys(METHODS, "") | {"ROAD": "dashed"}
    drawn = profiles_plot(
        METHODS, thresholds, Estimate(shares, shares, shares), COLOURS, strokes, ("ROAD",)
    )
    looks = [path.get("class") for path in elements(drawn, "path")]
    assert looks == ["band", "curve", "curve", "curve dashed"]
    bands = elements(drawn, "path", "band")
    assert [band.get("style") for band in bands] == [f"fill:{COLOURS['ROAD']}"]
    assert "above 50: Fixed 0 50%, Fixed 0.5 50%, ROAD 50%" in hovers(drawn)


def test_regret_bars_end_at_their_value_and_start_at_zero():
    point = np.array([0.0, 10.0, -5.0])
    estimate = Estimate(point, point - 1.0, point + 1.0)
    drawn = regret_bars(METHODS, estimate, estimate)
    bars = elements(drawn, "rect", "bar")
    assert [bar[0].text for bar in bars[::2]] == [
        "Fixed 0, in hindsight: 0.00 (−1.00 to 1.00)",
        "Fixed 0.5, in hindsight: 10.00 (9.00 to 11.00)",
        "ROAD, in hindsight: −5.00 (−6.00 to −4.00)",
    ]
    zero = percent(bars[2], "x")
    assert percent(bars[2], "width") == pytest.approx(2 * percent(bars[4], "width"), abs=0.03)
    assert percent(bars[4], "x") + percent(bars[4], "width") == pytest.approx(zero, abs=0.03)


def test_a_dip_is_a_dot_per_run_with_its_mean():
    drawn = dip_strip(
        METHODS, [np.array([5.0, 15.0]), np.array([np.nan]), np.zeros(3)], list("abc")
    )
    dots = elements(drawn, "circle")
    assert len(dots) == 5
    at = [percent(dot, "cx") for dot in dots]
    means = [percent(mark, "x1") for mark in elements(drawn, "line", "mean")]
    assert means == [pytest.approx((at[0] + at[1]) / 2, abs=0.01), 0.0]
    assert at[2:] == [0.0, 0.0, 0.0]


def test_constants_are_blue_and_the_subject_has_the_first_hue():
    colours = method_colours(("Fixed 0", "Uniform", "Fixed 0.5", "ROAD"), (0, 2), "ROAD")
    assert colours["ROAD"] == "var(--series-0)"
    assert colours["Uniform"] == "var(--series-1)"
    shares = [int(re.findall(r"(\d+)%", colours[name])[0]) for name in ("Fixed 0", "Fixed 0.5")]
    assert shares == [40, 100]


def test_lines_of_one_hue_are_drawn_differently():
    methods = ("Fixed 0", *(f"m{number}" for number in range(17)), "ROAD")
    colours, strokes = (of(methods, (0,), "ROAD") for of in (method_colours, method_strokes))
    assert len({(colours[name], strokes[name]) for name in methods}) == len(methods)
    assert strokes["ROAD"] == strokes["Fixed 0"] == ""


def test_long_names_above_a_matrix_are_slanted_and_have_space():
    methods = ("ROAD standardised short", "BR")
    drawn = score_matrix(("t",), methods, np.ones((1, 2)))
    heads = elements(drawn, "text", "tick slanted")
    assert [head.text for head in heads] == list(methods)
    space = re.findall(r"padding-(?:top|right):([\d.]+)px", drawn)
    assert all(float(pixels) > 100 for pixels in space)
    assert elements(score_matrix(("t",), METHODS, np.ones((1, 3))), "text", "tick slanted") == []


def test_a_missing_dip_is_not_in_the_mean_that_is_read_aloud():
    drawn = dip_strip(("a", "b"), [np.array([4.0, np.nan]), np.array([np.nan])], ["red", "red"])
    assert "a 4.0, b –" in drawn


def test_hostile_names_are_text():
    nasty = '"><script>alert(1)</script>'
    for drawn in (
        score_matrix((nasty,), (nasty,), np.ones((1, 1))),
        ratio_map((nasty,), np.full((1, 2), 0.5), Time(10.0)),
        dip_strip((nasty,), [np.ones(2)], ["red"]),
    ):
        assert elements(drawn, "script") == []
