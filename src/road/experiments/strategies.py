"""The strategies that grids compare, by the labels that reports give them."""

from road.experiments.grid import Strategy


def fixed(*ratios: float) -> tuple[Strategy, ...]:
    return tuple(
        Strategy(f"Fixed {ratio:g}", "fixed", {"offline_ratio": ratio}) for ratio in ratios
    )


PAPER_RATIOS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
UNIFORM = Strategy("Uniform", "uniform")
DECREASING = Strategy("Decreasing", "decreasing")
BALANCED = Strategy("BR", "balanced")
ROAD = Strategy("ROAD", "road")

PAPER = (*fixed(*PAPER_RATIOS), UNIFORM, DECREASING, BALANCED, ROAD)
"""The ten of the paper's large tables, in its order."""

LIMIT = 1_000.0
"""The kappa that stands for infinity. Divided by it, R_q is -Delta_on but for a thousandth of
Delta_off, and the bonus keeps its size if c is multiplied by its square."""


def penalties() -> tuple[Strategy, ...]:
    """ROAD by kappa, from R_q = Delta_off to R_q = -Delta_on."""
    finite = tuple(
        Strategy(f"κ = {kappa:g}", "road", {"overestimation_penalty": kappa})
        for kappa in (0.0, 0.2, 0.5, 1.0, 2.0, 5.0)
    )
    endless = {"overestimation_penalty": LIMIT, "exploration": 2.0 * LIMIT**2}
    return (*finite, Strategy("κ = ∞", "road", endless))


def windows(*sizes: int | None) -> tuple[Strategy, ...]:
    """ROAD by c and tau; None keeps every period, the paper's tau = t."""
    return tuple(
        Strategy(
            f"c = {exploration:g}, τ = {'t' if size is None else size}",
            "road",
            {"exploration": exploration, "window": size},
        )
        for exploration in (0.5, 1.0, 2.0, 4.0)
        for size in sizes
    )


WIDE_RATIOS = (0.0, 0.1, 0.3, 0.5, 0.9)
"""From science: most of the effect on small tasks lies outside 0.1 to 0.5."""
LONG, SHORT = {"period": 500}, {"period": 100}
"""Environment steps to a choice."""


def wide_road(label: str, period: dict[str, int], **settings: object) -> Strategy:
    return Strategy(label, "road", {"arms": WIDE_RATIOS, **settings}, period)


STANDARD = {"scale": "standardised"}
DISCRIMINATING = (
    *fixed(*WIDE_RATIOS),
    Strategy("Uniform", "uniform", {"arms": WIDE_RATIOS}, LONG),
    Strategy("Uniform short", "uniform", {"arms": WIDE_RATIOS}, SHORT),
    Strategy("Decreasing", "decreasing", {"start": 0.9, "end": 0.1}, SHORT),
    Strategy("BR", "balanced"),
    Strategy("Append", "append", {}, SHORT),
    wide_road("ROAD", LONG),
    wide_road("ROAD short", SHORT),
    wide_road("ROAD standardised", LONG, **STANDARD),
    wide_road("ROAD standardised short", SHORT, **STANDARD),
    wide_road("ROAD reversed", LONG, **STANDARD, credit="reversed"),
    wide_road("ROAD reversed short", SHORT, **STANDARD, credit="reversed"),
    wide_road("ROAD change", LONG, **STANDARD, credit="change"),
    wide_road("ROAD fresh-error", LONG, **STANDARD, credit="fresh-error"),
    wide_road("ROAD next-return", LONG, **STANDARD, credit="next-return"),
    Strategy("Hypergradient", "hypergradient"),
    Strategy("Hypergradient pulled", "hypergradient", {"pull": 0.06}),
)
"""Constants, rules that look at nothing, ROAD by period, unit and credit, and the hypergradient."""
