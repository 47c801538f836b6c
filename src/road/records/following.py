"""The journals of a run that is going on, read as they grow."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from road.errors import StorageError
from road.plain_files import open_to_read
from road.records.journal import JOURNALS, JournalReader, Row, tabulate
from road.records.reader import load_run, of_main_learner, read_arms, with_readings
from road.records.series import rows_by_step


class Follower:
    """Gives every row of a run's journals once, as numbers by step and name."""

    def __init__(self, folder: Path) -> None:
        """The run must have begun.

        Raises:
            UsageError: there is no run in that folder.
        """
        self.folder = folder
        self.record = load_run(folder)
        """As it was when following began; its settings and name do not change."""
        self._read: dict[str, int] = dict.fromkeys(JOURNALS, 0)

    def new_rows(self) -> Mapping[int, Mapping[str, float]]:
        """What was written since the last call; a line that is not whole yet waits for the next."""
        metrics, episodes, evaluations, mixing = (self.grown(name) for name in JOURNALS)
        main = list(of_main_learner(mixing))
        return rows_by_step(
            replace(
                self.record,
                metrics=tabulate(of_main_learner(metrics)),
                episodes=tabulate(episodes),
                evaluations=tabulate(evaluations),
                periods=tabulate(map(with_readings, main)),
                arms=read_arms(main),
            )
        )

    def grown(self, name: str) -> list[Row]:
        path = self.folder / f"{name}.jsonl"
        try:
            with open_to_read(path) as file:
                file.seek(self._read[name])
                content = file.read()
        except FileNotFoundError:
            return []
        except OSError as failure:
            raise StorageError(f"cannot read {path}: {failure.strerror}") from failure
        whole = content[: content.rfind(b"\n") + 1]
        self._read[name] += len(whole)
        return list(JournalReader(path).rows(whole.splitlines(keepends=True)))
