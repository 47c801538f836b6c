"""Every table of results that the paper prints (arXiv 2605.14497), as data.

Typed from the paper's source by a script, and checked by the tests against the averages that the
paper prints itself. ``errata`` are numbers that the table itself contradicts, ``notes`` what a
reader should know.

The figures of Cal-QL, CQL and RLPD and the heatmaps have no numbers in the source, and none were
read off pictures.
"""

from road.experiments.paper_tables_form import Erratum, PaperTable, Row
from road.experiments.paper_tables_iql import TABLE_IQL
from road.experiments.paper_tables_others import ABLATION_KAPPA, ABLATION_WINDOW, TABLE_PROTO
from road.experiments.paper_tables_pex import TABLE_PEX

__all__ = ["PAPER_TABLES", "Erratum", "PaperTable", "Row"]

PAPER_TABLES: dict[str, PaperTable] = {
    "table-iql": TABLE_IQL,
    "table-pex": TABLE_PEX,
    "ablation-kappa": ABLATION_KAPPA,
    "ablation-window": ABLATION_WINDOW,
    "table-proto": TABLE_PROTO,
}
"""By the name of the grid that repeats them."""
