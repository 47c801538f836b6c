"""ROAD in Stable-Baselines3: SAC on Pendulum-v1 with offline rows of a random policy."""

import gymnasium
from stable_baselines3 import SAC
from stable_baselines3.common.buffers import ReplayBuffer

from road.integrations.sb3 import RoadCallback, RoadReplayBuffer
from road.mixing import Controller, RoadMixer


def random_rows(count: int) -> ReplayBuffer:
    """A stand-in for your dataset: what SAC stores before it begins to learn."""
    model = SAC("MlpPolicy", gymnasium.make("Pendulum-v1"), learning_starts=count, seed=1)
    return model.learn(count).replay_buffer


controller = Controller(RoadMixer(), seed=0)
model = SAC(
    "MlpPolicy",
    gymnasium.make("Pendulum-v1"),
    replay_buffer_class=RoadReplayBuffer,
    replay_buffer_kwargs={"offline": random_rows(1000), "controller": controller},
    policy_kwargs={"net_arch": [64, 64]},
    seed=0,
)
model.learn(300, callback=RoadCallback(period=50))
controller.save("runs/sb3_sac", task="Pendulum-v1", agent="SAC")  # then: road report runs/sb3_sac
model.save("runs/sb3_sac/model")  # the controller is in it too
print([period.offline_ratio for period in controller.history])
