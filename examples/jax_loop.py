"""ROAD in a plain JAX loop: twin critics on Pendulum-v1, offline rows of a random policy."""

from itertools import pairwise

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np
import optax

from road.mixing import Controller, RoadMixer, surrogate

STEPS, PERIOD, BATCH, DISCOUNT, FOLLOW, SEED = 2000, 100, 128, 0.98, 0.01, 0
rng, optimiser = np.random.default_rng(SEED), optax.adam(1e-3)


def network(members, *sizes):
    return [jnp.float32(rng.normal(0, n**-0.5, (members, n, m))) for n, m in pairwise(sizes)]


def forward(weights, *inputs):
    x = jnp.hstack(inputs)
    for weight in weights[:-1]:
        x = jax.nn.relu(x @ weight)
    return x @ weights[-1]


@jax.jit
def policy(learned, state):
    return jnp.tanh(forward(learned["actor"], state))[0]


@jax.jit
def update(learned, target, moments, batch):
    state, action, reward, after = jnp.split(batch, [3, 4, 5], axis=1)
    goal = reward + DISCOUNT * forward(target["critics"], after, policy(target, after)).min(axis=0)

    def loss(part):  # the critics' and the actor's, who does not move the critics
        error = forward(part["critics"], state, action) - goal
        gain = forward(learned["critics"], state, policy(part, state))[0]
        return (error**2).sum(axis=0).mean() - gain.mean()

    change, moments = optimiser.update(jax.grad(loss)(learned), moments)
    learned = optax.apply_updates(learned, change)
    return learned, optax.incremental_update(learned, target, FOLLOW), moments


def play(steps, noise, seed=SEED):
    """Rows of experience: three numbers of state, action, reward, three of the next state."""
    environment = gymnasium.make("Pendulum-v1")
    state = environment.reset(seed=seed)[0]
    for _ in range(steps):
        action = np.clip(policy(learned, state[None])[0] + rng.normal(0, noise, 1), -1, 1)
        after, reward, _, truncated, _ = environment.step(2 * action)
        yield np.concatenate([state, action, [reward / 10], after]).astype(np.float32)
        state = environment.reset()[0] if truncated else after


def q_values(rows):
    rows = rows[rng.integers(len(rows), size=512)]
    chosen = policy(learned, rows[:, :3]), rows[:, 3:4]
    return [forward(learned["critics"], rows[:, :3], action).min(axis=0) for action in chosen]


learned = target = {"actor": network(1, 3, 64, 64, 1), "critics": network(2, 4, 64, 64, 1)}
moments, offline = optimiser.init(learned), np.stack(list(play(2000, 10.0)))  # all noise
online, controller = np.empty((STEPS, 8), np.float32), Controller(RoadMixer(), seed=SEED)
controller.log_evaluation(first := sum(2 * row[4] for row in play(1000, 0, seed=1)), step=0)
for t, row in enumerate(play(STEPS, 0.2), start=1):
    online[t - 1] = row
    count = controller.offline_count(BATCH)
    places = rng.integers(len(offline), size=count), rng.integers(t, size=BATCH - count)
    batch = np.concatenate([offline[places[0]], online[places[1]]])
    learned, target, moments = update(learned, target, moments, batch)
    if t % PERIOD == 0:
        seen = surrogate(*q_values(offline), *q_values(online[:t])).advantages
        controller.end_period(offline_advantage=seen.offline, online_advantage=seen.online, step=t)
controller.log_evaluation(last := sum(2 * row[4] for row in play(1000, 0, seed=1)), step=STEPS)
controller.save("runs/jax_loop", task="Pendulum-v1")  # then: road report runs/jax_loop
print(f"return {first:.0f} -> {last:.0f}")
