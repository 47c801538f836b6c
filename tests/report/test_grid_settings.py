"""What a page says was run: shared settings once, the others where they belong."""

from road.report.grid.listings import settings_listing
from road.report.grid.placed import settings_of


def config(steps: int, window: int | None, **mixer: object) -> dict[str, object]:
    return {
        "format": 1,
        "seed": 3,
        "own": {"env": "Robot-v0", "data": "file:/home/user/log.hdf5"},
        "agent": {"name": "iql", "hidden": [64, 64]},
        "mixer": {"name": "road", "window": window, **mixer},
        "online_steps": steps,
    }


def test_settings_stand_where_they_belong():
    runs = [
        settings_of("maze", "ROAD", config(100, None)),
        settings_of("maze", "short", config(100, None, arms=[0.0, 0.5])),
        settings_of("hopper", "ROAD", config(200, 1000)),
        settings_of("hopper", "short", config(200, 50, arms=[0.0, 0.5])),
    ]
    assert settings_listing(runs).rows == [
        ["all runs", "own.env Robot-v0; agent.name iql; agent.hidden 64, 64; mixer.name road"],
        ["maze", "online_steps 100"],
        ["hopper", "online_steps 200"],
        ["ROAD", "mixer.window none or 1000"],
        ["short", "mixer.window none or 50; mixer.arms 0.0, 0.5"],
    ]


def test_one_run_has_nothing_but_what_all_share():
    (row,) = settings_listing([settings_of("maze", "ROAD", config(100, None))]).rows
    assert row[0] == "all runs"
    assert "/home" not in row[1]
