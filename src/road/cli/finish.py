"""What stands at the end of a run: its summary, its report and the verdict."""

import sys
from dataclasses import asdict
from pathlib import Path

from road.report import after_the_switch, load_run, summarise, write_report


def finish(folder: Path) -> None:
    """Write ``summary.json`` and ``report.html``, and say in one sentence how it went."""
    from road.training.folder import write_json_whole

    summary = summarise(load_run(folder))
    write_json_whole(folder / "summary.json", asdict(summary))
    report = write_report([folder], folder / "report.html")
    sys.stdout.write(f"{summary.verdict}\n")
    sys.stdout.write("".join(f"{line}\n" for line in after_the_switch(summary)))
    sys.stdout.write(f"report: {report}\n")
