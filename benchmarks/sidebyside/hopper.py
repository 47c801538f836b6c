"""Hopper-v5: a medium log from a public policy, and the episodes that judge."""

import os
from collections.abc import Callable
from pathlib import Path

import gymnasium
import numpy as np
from numpy.typing import NDArray

from benchmarks.machine import ROOT
from benchmarks.sidebyside.work import Log
from road.data.on_disk import data_folder

ENVIRONMENT = "Hopper-v5"
ROWS = 100_000
NOISE = 0.1
"""Standard deviation added to the policy's actions: brings it to D4RL's medium level."""
POLICY = "hopper-toshikwa-sac-final.npz"
EPISODES = 10
FIRST_SEED = 10_000
RANDOM_RETURN, EXPERT_RETURN = -20.272305, 3234.3
"""D4RL's references."""

Policy = Callable[[NDArray[np.float32]], NDArray[np.floating]]


def medium_log() -> Path:
    """The log, made once."""
    path = data_folder() / "benchmarks" / f"hopper-medium-{ROWS}.npz"
    if not path.exists():
        shared = Path(os.environ.get("ROAD_SHARED_DATA", ROOT.parent / "shared" / "data"))
        policy = shared / "policies" / POLICY
        if not policy.exists():
            raise SystemExit(f"{policy} is missing: set ROAD_SHARED_DATA to the folder that has it")
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part.npz")
        np.savez(part, **record(read_policy(policy))._asdict())
        part.replace(path)
    return path


def read_policy(path: Path) -> Policy:
    """Dense layers with ReLU between them and tanh after the last."""
    with np.load(path, allow_pickle=False) as weights:
        layers = [
            (weights[f"w{i}"], weights[f"b{i}"])
            for i in range(len(weights.files))
            if f"w{i}" in weights
        ]
        settings = str(weights["act"]), str(weights["out"])
    assert settings == ("relu", "tanh"), settings

    def act(observation: NDArray[np.float32]) -> NDArray[np.floating]:
        x = observation
        for weight, bias in layers[:-1]:
            x = np.maximum(weight @ x + bias, 0.0)
        return np.tanh(layers[-1][0] @ x + layers[-1][1])

    return act


def record(policy: Policy) -> Log:
    environment, rng = gymnasium.make(ENVIRONMENT), np.random.default_rng(0)
    rows, episode = [], 0
    while len(rows) < ROWS:
        observation, _ = environment.reset(seed=episode)
        over, episode = False, episode + 1
        while not over and len(rows) < ROWS:
            action = np.clip(policy(observation) + NOISE * rng.standard_normal(3), -1.0, 1.0)
            after, reward, terminated, truncated, _ = environment.step(action.astype(np.float32))
            over = terminated or truncated
            cut = truncated or (len(rows) == ROWS - 1 and not terminated)
            rows.append((observation, action, reward, after, terminated, cut))
            observation = after
    observations, actions, rewards, following, terminated, truncated = zip(*rows, strict=True)
    return Log(
        np.array(observations, np.float32),
        np.array(actions, np.float32),
        np.array(rewards, np.float32),
        np.array(following, np.float32),
        np.array(terminated),
        np.array(truncated),
    )


def judge(policy: Policy) -> float:
    """The normalised score of the mean return."""
    environments = [gymnasium.make(ENVIRONMENT) for _ in range(EPISODES)]
    observations = np.stack(
        [env.reset(seed=FIRST_SEED + i)[0] for i, env in enumerate(environments)]
    )
    returns, running = np.zeros(EPISODES), np.ones(EPISODES, bool)
    while running.any():
        actions = np.clip(policy(observations.astype(np.float32)), -1.0, 1.0).astype(np.float32)
        for i in np.flatnonzero(running):
            observations[i], reward, terminated, truncated, _ = environments[i].step(actions[i])
            returns[i] += float(reward)
            running[i] = not (terminated or truncated)
    return float(100.0 * (returns.mean() - RANDOM_RETURN) / (EXPERT_RETURN - RANDOM_RETURN))
