"""Stable-Baselines3's SAC on a pendulum, with poor offline data: mixed by ROAD, by half, or not.

    .venv-sb3/bin/python -m benchmarks.sb3_pendulum [--seeds 5] [--steps 6000]

One single-threaded run after the other. The record is written after each of them: killed and
started again, it goes on with the next one.
"""

import argparse
import json
from collections.abc import Callable
from statistics import mean, stdev
from typing import Any

from benchmarks.machine import ROOT, describe_commit, describe_machine

RECORD = ROOT / "benchmarks" / "records" / "sb3_pendulum.json"
STRATEGIES = {"none": "no offline data", "fixed": "half of every batch", "road": "ROAD"}
ENVIRONMENT = "Pendulum-v1"
OFFLINE_ROWS = 5000
PERIOD = 200
EVALUATE_EVERY = 250
EPISODES = 10
GOAL = -300.0
LAST = 2
"""Evaluations whose mean is called the final return."""


def main() -> None:
    flags = parse_flags()
    for seed in range(flags.seeds):
        for strategy in STRATEGIES:
            record = json.loads(RECORD.read_text()) if RECORD.exists() else {"cells": {}}
            name = f"{strategy} s{seed}"
            if name not in record["cells"]:
                curve = train(strategy, seed, flags.steps)
                record["machine"] = describe_machine()
                record["cells"][name] = {**describe_commit(), "steps": flags.steps, "curve": curve}
                RECORD.write_text(json.dumps(record, indent=1) + "\n")
                print(name, curve[-LAST:], flush=True)
    print(table(json.loads(RECORD.read_text())["cells"]))


def parse_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sb3_pendulum", description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=6000)
    return parser.parse_args()


def train(strategy: str, seed: int, steps: int) -> list[list[float]]:
    """Gives [step, mean return] of every evaluation."""
    import torch
    from stable_baselines3 import SAC

    from road.integrations.sb3 import RoadCallback, RoadReplayBuffer
    from road.mixing import Controller, FixedMixer, RoadMixer

    torch.set_num_threads(1)
    mixed: dict[str, Any] = {}
    if strategy != "none":
        mixer = RoadMixer() if strategy == "road" else FixedMixer(0.5)
        controller = Controller(mixer, seed=seed)
        mixed = {
            "replay_buffer_class": RoadReplayBuffer,
            "replay_buffer_kwargs": {"offline": random_rows(), "controller": controller},
        }
    model = SAC(
        "MlpPolicy",
        ENVIRONMENT,
        learning_rate=1e-3,
        policy_kwargs={"net_arch": [64, 64]},
        seed=seed,
        device="cpu",
        **mixed,
    )
    evaluate, curve = evaluation(), list[list[float]]()
    callback = RoadCallback(PERIOD) if mixed else None
    for step in range(EVALUATE_EVERY, steps + 1, EVALUATE_EVERY):
        model.learn(EVALUATE_EVERY, callback=callback, reset_num_timesteps=False)
        curve.append([step, evaluate(model)])
    return curve


def random_rows() -> dict[str, Any]:
    """What a random policy collects; the same for every run."""
    import gymnasium
    import numpy as np

    environment = gymnasium.make(ENVIRONMENT)
    environment.action_space.seed(0)
    observation, _ = environment.reset(seed=0)
    rows = list[tuple[Any, ...]]()
    while len(rows) < OFFLINE_ROWS:
        action = environment.action_space.sample()
        after, reward, terminated, truncated, _ = environment.step(action)
        rows.append((observation, action, reward, after, terminated))
        observation = environment.reset()[0] if terminated or truncated else after
    names = ("observation", "action", "reward", "next_observation", "terminated")
    return {
        name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)
    }


def evaluation() -> Callable[[Any], float]:
    """The mean return of the greedy policy, over the same episodes every time."""
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.evaluation import evaluate_policy

    environments = make_vec_env(ENVIRONMENT, n_envs=EPISODES)

    def evaluate(model: Any) -> float:
        environments.seed(1000)
        return round(float(evaluate_policy(model, environments, EPISODES)[0]), 1)

    return evaluate


def table(cells: dict[str, Any]) -> str:
    """Markdown, as it is in the documents."""
    lines = ["| offline data | steps to −300, by seed | final return |", "|---|---|---|"]
    for strategy, words in STRATEGIES.items():
        curves = [cell["curve"] for name, cell in cells.items() if name.split()[0] == strategy]
        finals = [mean(score for _, score in curve[-LAST:]) for curve in curves]
        reached = ", ".join(steps_to_goal(curve) for curve in curves)
        spread = f"{mean(finals):.0f} ± {stdev(finals):.0f}".replace("-", "−")
        lines.append(f"| {words} | {reached} | {spread} |")
    return "\n".join(lines)


def steps_to_goal(curve: list[list[float]]) -> str:
    return next((str(int(step)) for step, score in curve if score >= GOAL), "never")


if __name__ == "__main__":
    main()
