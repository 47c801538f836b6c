"""The notebook of the examples runs from top to bottom, and shows what it says it shows."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.docs.reading import ROOT

NOTEBOOK = ROOT / "examples" / "own_robot.ipynb"


def cells(kind: str) -> list[str]:
    content = json.loads(NOTEBOOK.read_text("utf-8"))
    assert (content["nbformat"], content["metadata"]["language_info"]["name"]) == (4, "python")
    return ["".join(each["source"]) for each in content["cells"] if each["cell_type"] == kind]


@pytest.mark.integration
def test_every_cell_of_the_notebook_runs_in_order():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    namespace: dict[str, Any] = {"__name__": "notebook"}
    for number, cell in enumerate(cells("code")):
        exec(compile(cell, f"cell {number}", "exec"), namespace)
    pyplot.close("all")
    # Periods of 100 steps, from the moment at which a batch of online rows is there.
    assert len(namespace["result"].ratios) == 7
    assert namespace["result"].report == Path("runs/road/report.html")
    assert "Fixed 0.5" in Path("both.html").read_text()
    assert namespace["total"] > 0


def test_the_notebook_is_kept_without_outputs():
    content = json.loads(NOTEBOOK.read_text("utf-8"))
    code = [each for each in content["cells"] if each["cell_type"] == "code"]
    assert all(each["outputs"] == [] and each["execution_count"] is None for each in code)
    assert {
        f"## {title}" for title in ("The environment", "The logs", "The report", "The policy")
    } <= {cell.splitlines()[0] for cell in cells("markdown")}
