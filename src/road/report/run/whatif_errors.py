"""A page on which ratios other settings of ``validated`` would have chosen in a finished run."""

from dataclasses import fields
from typing import Any

from road.errors import UsageError
from road.mixing import ValidatedMixer
from road.mixing.whatif_errors import RecordedErrors, recorded_errors
from road.records.naming import part_of
from road.records.reader import RunRecord


def read_errors(run: RunRecord) -> RecordedErrors:
    try:
        if run.probes is None:
            raise ValueError("no errors of probes were recorded")
        return recorded_errors(run.probes.ratios, run.probes.errors)
    except ValueError as nothing:
        raise UsageError(f"{run.folder} cannot be replayed: {nothing}") from None


def probe_settings(run: RunRecord) -> ValidatedMixer:
    """The settings that the run had."""
    settings = part_of(run.config, "mixer")
    known = {field.name for field in fields(ValidatedMixer)}
    own: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in settings.items()
        if name in known
    }
    try:
        return ValidatedMixer(**own)
    except (TypeError, ValueError) as wrong:
        raise UsageError(f"the settings of {run.folder} cannot be replayed: {wrong}") from wrong
