"""What came after the switch, in plain lines: the dip, and the share of offline rows over time."""

from road.report import writing
from road.report.summary import Summary
from road.report.tiles import regained_words


def after_the_switch(summary: Summary) -> list[str]:
    """A line each for the dip and for the realised ratio, whatever the strategy was."""
    return [f"dip: {dip_sentence(summary)}", f"offline share: {ratio_sentence(summary)}"]


def dip_sentence(summary: Summary) -> str:
    dip = summary.dip
    if dip is None:
        return "not known, for lack of evaluations"
    if dip.lowest_step is None:
        return "none; no online evaluation was below the pretrained score"
    return (
        f"{dip.depth:.1f} deep, lowest at step {dip.lowest_step:,}, {regained_words(dip)}; "
        f"area {dip.area:,.0f} score × steps"
    )


def ratio_sentence(summary: Summary) -> str:
    if summary.mean_realised_ratio is None:
        return "not known; no period has been trained"
    tenths = " ".join(
        writing.UNKNOWN if ratio is None else f"{ratio:.2f}" for ratio in summary.realised_ratios
    )
    return (
        f"{summary.mean_realised_ratio:.2f} of the rows trained on; by tenths of the phase {tenths}"
    )
