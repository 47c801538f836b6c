"""ROAD in a plain PyTorch loop: TD3's critics on Pendulum-v1, offline rows of a random policy."""

import copy

import gymnasium
import numpy as np
import torch
from torch import nn

from road.integrations.torch import measure
from road.mixing import Controller, RoadMixer

STEPS, PERIOD, BATCH, DISCOUNT, FOLLOW, SEED = 2000, 100, 128, 0.98, 0.01, 0
torch.manual_seed(SEED)
rng = np.random.default_rng(SEED)


def network(inputs, *last):
    layers = nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1)
    return nn.Sequential(*layers, *last)


learned = nn.ModuleList([network(3, nn.Tanh()), network(4), network(4)])  # actor, two critics
target = copy.deepcopy(learned)
optimisers = [torch.optim.Adam(part.parameters(), 1e-3) for part in (learned[0], learned[1:])]


def critic(state, action, networks=learned):
    return [q(torch.cat([state, action], dim=1)) for q in networks[1:]]


def update(state, action, reward, after):
    goal = reward + DISCOUNT * torch.minimum(*critic(after, target[0](after), target)).detach()
    descend(1, sum(nn.functional.mse_loss(q, goal) for q in critic(state, action)))
    descend(0, -critic(state, learned[0](state))[0].mean())
    for slow, fast in zip(target.parameters(), learned.parameters(), strict=True):
        slow.data.lerp_(fast.data, FOLLOW)


def descend(part, loss):
    optimisers[part].zero_grad()
    loss.backward()
    optimisers[part].step()


def play(steps, noise, seed=SEED):
    """Rows of experience: three numbers of state, action, reward, three of the next state."""
    environment = gymnasium.make("Pendulum-v1")
    state = environment.reset(seed=seed)[0]
    for _ in range(steps):
        choice = learned[0](torch.as_tensor(state)).detach().numpy() + rng.normal(0, noise, 1)
        action = np.clip(choice, -1, 1)
        after, reward, _, truncated, _ = environment.step(2 * action)
        yield np.concatenate([state, action, [reward / 10], after]).astype(np.float32)
        state = environment.reset()[0] if truncated else after


def draw(rows, count):
    return torch.as_tensor(rows[rng.integers(len(rows), size=count)])


def score():
    return 2 * sum(row[4] for row in play(1000, 0.0, seed=1))  # the mean of five episodes


offline = np.stack(list(play(2000, 10.0)))  # all noise
online, controller = np.empty((STEPS, 8), np.float32), Controller(RoadMixer(), seed=SEED)
controller.log_evaluation(first := score(), step=0)
for t, row in enumerate(play(STEPS, 0.2), start=1):
    online[t - 1] = row
    count = controller.offline_count(BATCH)
    batch = torch.cat([draw(offline, count), draw(online[:t], BATCH - count)])
    update(*batch.split([3, 1, 1, 3], dim=1))
    if t % PERIOD == 0:
        pairs = [draw(rows, 512).split([3, 1, 4], dim=1)[:2] for rows in (offline, online[:t])]
        seen = measure(learned[0], critic, *pairs)
        controller.end_period(offline_advantage=seen.offline, online_advantage=seen.online, step=t)
controller.log_evaluation(last := score(), step=STEPS)
controller.save("runs/torch_loop", task="Pendulum-v1")  # then: road report runs/torch_loop
print(f"return {first:.0f} -> {last:.0f}")
