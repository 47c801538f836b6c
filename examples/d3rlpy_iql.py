"""ROAD in d3rlpy: IQL on Pendulum-v1, pretrained on rows of a random policy, then fine-tuned."""

import d3rlpy
import gymnasium
from d3rlpy.dataset import create_fifo_replay_buffer
from d3rlpy.logging import NoopAdapterFactory
from d3rlpy.preprocessing import MinMaxActionScaler

from road.integrations.d3rlpy import RoadCallback, RoadMixedBuffer
from road.mixing import Controller, RoadMixer

environment, scaler = gymnasium.make("Pendulum-v1"), MinMaxActionScaler(minimum=-2.0, maximum=2.0)
quiet = {"n_steps_per_epoch": 50, "logger_adapter": NoopAdapterFactory(), "show_progress": False}
anyone = d3rlpy.algos.RandomPolicyConfig(action_scaler=scaler).create()
dataset = anyone.collect(environment, n_steps=1000, show_progress=False)  # a stand-in for yours

iql = d3rlpy.algos.IQLConfig(action_scaler=scaler, batch_size=64).create(device="cpu")
iql.fit(dataset, n_steps=50, **quiet)
controller = Controller(RoadMixer(), seed=0)
buffer = RoadMixedBuffer(create_fifo_replay_buffer(10_000, env=environment), dataset, controller)
callback = RoadCallback(buffer, period=25)
iql.fit_online(environment, buffer, n_steps=150, callback=callback, **quiet)
iql.save_model("iql.pt")
controller.save("runs/d3rlpy_iql", task="Pendulum-v1", agent="IQL")  # then: road report
print([period.offline_ratio for period in controller.history])
