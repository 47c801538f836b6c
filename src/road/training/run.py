"""A whole run: pretrain, carry, fine-tune; journalled, evaluated, saved, and continued exactly.

Law: killed at any moment and continued, a run ends with the same bits as one left alone.
"""

import signal
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict

import numpy as np

from road.data.examining import examine
from road.errors import EnvironmentFailure, Interrupted, Preempted
from road.randomness import Stream, jax_stream
from road.training.checkpoint import save_checkpoint
from road.training.config import Plan
from road.training.engine import Metrics, engine_of
from road.training.evaluate import Evaluator, judged_policy
from road.training.events import Evaluated, Note, Notify, PhaseStarted, Progressed
from road.training.evidence import Readings
from road.training.finetune import Finetuning, OnlineStep
from road.training.folder import RunFolder
from road.training.journal import Journal
from road.training.pretrain import pretrain, stack_before
from road.training.refusing import check_spaces
from road.training.rollout import Rollout, guarded
from road.training.sampling import make_sampler
from road.training.signals import StopRequest
from road.training.state import RunState
from road.types import Spec


class Run:
    """The parts of a run, put together from its plan; what changes is in ``state``."""

    def __init__(self, plan: Plan, folder: RunFolder, notify: Notify, stop: StopRequest) -> None:
        self.plan, self.config, self.recipe = plan, plan.config, plan.recipe
        self.folder, self.notify, self.stop = folder, notify, stop
        # What may be missing is asked for first: one environment, then the data, then all of them.
        guarded("make", 0, plan.task.environment).close()
        dataset = plan.task.dataset()
        for found in examine(dataset).warnings:
            notify(Note(f"data: {found}"))
        self.task = plan.task.learnt_by(plan.agent_name, dataset)
        self.rollout = Rollout(self.task, self.config.seed)
        self.evaluator = Evaluator(
            self.task.judged, self.config.seed, self.config.evaluation_episodes
        )
        spec = Spec(dataset.observation.shape[1], dataset.action.shape[1])
        check_spaces(spec, self.task, self.rollout)
        self.engine = engine_of(self.recipe.online, spec)
        self.offline_engine = self.engine
        if self.recipe.offline is not None and self.recipe.offline != self.recipe.online:
            self.offline_engine = engine_of(self.recipe.offline, spec)
        self.sampler = make_sampler(plan, self.task, dataset)

    def begin(self) -> None:
        key = jax_stream(self.config.seed, Stream.INITIALISING)
        self.state = RunState(agent=self.offline_engine.init(key))
        if self.recipe.offline is None:
            self.state.counters.phase = "online"
        self.state.mixer = self.plan.mixer.init(self.config.seed)
        self.journal = Journal(self.folder.path, {})

    def restore(self, state: RunState) -> None:
        """Stand where the checkpoint stood."""
        self.state = state
        self.journal = Journal(self.folder.path, state.journals)
        if state.online_rows is not None and state.episode_actions is not None:
            self.sampler.online.restore(
                state.online_rows, state.online_written, state.online_running
            )
            self.rollout.restore(state.counters.episode, list(state.episode_actions))
        # A run that begins at the switch has weighed nothing yet.
        if self.sampler.weighing is not None and state.weighing:
            self.sampler.weighing.restore(state.weighing)

    def execute(self, *, until_switch: bool = False) -> None:
        """Run to the end, or raise what the command line turns into an exit code.

        Until the switch means: with everything that belongs to the offline phase, and no step more.
        """
        counters = self.state.counters
        if counters.phase == "offline":
            self.pretrain()
        if until_switch:
            self.save()
            return
        if counters.phase == "offline" and self.config.online_steps:
            self.state.agent = self.engine.leaves(
                self.recipe.carry(self.offline_engine.tree(self.state.agent))
            )
            counters.phase = "online"
        if counters.phase == "online":
            self.finetune()
        counters.phase = "done"
        self.save()

    def pretrain(self) -> None:
        total = self.config.offline_steps
        self.notify(PhaseStarted("offline", self.state.counters.offline_updates, total))
        with self.saving_if_the_environment_fails():
            self.settle()
            for metrics in pretrain(self.offline_engine, self.sampler, self.config, self.state):
                self.log_metrics(metrics)
                self.notify(Progressed("offline", self.state.step, 1.0))
                self.settle()

    def finetune(self) -> None:
        total = self.config.online_steps
        self.notify(PhaseStarted("online", self.state.counters.online_steps, total))
        measure = Readings(self.engine, self.sampler, self.config)
        loop = Finetuning(
            self.engine, self.rollout, self.sampler, self.plan.mixer, measure, self.config,
            random_warmup=self.recipe.random_warmup,
            failure_reward=self.task.failure,
        )  # fmt: skip
        with self.saving_if_the_environment_fails():
            self.settle()
            for step in loop.run(self.state):
                self.log_step(step)
                self.notify(Progressed("online", self.state.step, step.offline_ratio))
                self.settle()

    @contextmanager
    def saving_if_the_environment_fails(self) -> Generator[None]:
        try:
            yield
        except EnvironmentFailure:
            self.save()  # the state is that of the last whole step
            raise

    def log_metrics(self, metrics: Metrics) -> None:
        if self.reached(self.config.log_every):
            row = {"phase": self.state.counters.phase, "step": self.state.step, **metrics.last()}
            self.journal.append("metrics", row)

    def log_step(self, step: OnlineStep) -> None:
        counters = self.state.counters
        if step.waiting and step.metrics is not None and not counters.said_waiting:
            counters.said_waiting = True
            enough = self.sampler.enough_online + step.held_back
            self.notify(Note(f"batches are all offline until {enough} online rows are stored"))
        if step.metrics is not None:
            self.log_metrics(step.metrics)
        if step.episode is not None:
            row = {
                "step": self.state.step,
                "return": step.episode.raw_return,
                "length": step.episode.length,
                "terminated": step.episode.terminated,
            }
            self.journal.append("episodes", row)
        if step.period is not None:
            self.journal.append("mixer", step.period.as_row(self.state.step))

    def settle(self) -> None:
        """Between two steps: evaluate and save what is due, and stop if asked to."""
        evaluated = self.evaluation_due() and self.evaluate()
        if evaluated or self.checkpoint_due() or self.stop():
            self.save()
        if self.stop():
            where = f"saved at {self.state.counters.phase} step {self.state.step}"
            how = f"continue with `road resume {self.folder.path}`"
            if self.stop.signal == signal.SIGINT:
                raise Interrupted(f"interrupted; {where}; {how}")
            raise Preempted(f"asked to stop; {where}; {how}")

    def evaluation_due(self) -> bool:
        counters, step = self.state.counters, self.state.step
        if counters.last_evaluated == f"{counters.phase} {step}":
            return False
        if counters.phase == "offline":
            # The end of this phase is judged as step 0 of the next one.
            last = self.config.offline_steps if self.config.online_steps else -1
            final = not self.config.online_steps and step == self.config.offline_steps
            return final or (0 < step != last and self.reached(self.config.evaluate_every))
        return self.reached(self.config.evaluate_every) or step == self.config.online_steps

    def evaluate(self) -> bool:
        counters, step = self.state.counters, self.state.step
        engine = self.offline_engine if counters.phase == "offline" else self.engine
        index = counters.evaluations
        policy = judged_policy(engine, self.state.agent, self.config.seed, index)
        result = self.evaluator(policy, index, self.stop)
        if result is None:
            return False
        counters.evaluations += 1
        counters.last_evaluated = f"{counters.phase} {step}"
        if counters.best_score is None or result.score > counters.best_score:
            counters.best_score, counters.best_position = result.score, self.state.position
        row = {"phase": counters.phase, "step": step, **asdict(result)}
        self.journal.append("evaluations", row)
        self.notify(Evaluated(counters.phase, step, result))
        return True

    def checkpoint_due(self) -> bool:
        return self.state.step > 0 and self.reached(self.config.checkpoint_every)

    def reached(self, every: int) -> bool:
        """Whether a multiple is among the steps just made: a whole stack offline, one online."""
        step = self.state.step
        before = stack_before(step) if self.state.counters.phase == "offline" else step - 1
        return step // every > before // every

    def save(self) -> None:
        state, online = self.state, self.sampler.online
        state.counters.episode = self.rollout.episode
        state.online_rows = online.filled()
        state.online_written, state.online_running = online.written, online.running
        if self.sampler.weighing is not None:
            state.weighing = self.sampler.weighing.arrays()
        actions = [np.asarray(action) for action in self.rollout.actions]
        width = self.engine.spec.action_dim
        state.episode_actions = np.array(actions, np.float32).reshape(len(actions), width)
        self.journal.sync()
        state.journals = self.journal.lengths
        save_checkpoint(
            self.folder.checkpoints,
            state.position,
            state.arrays(),
            state.document(),
            state.counters.best_position,
        )

    def close(self) -> None:
        self.rollout.close()
        self.evaluator.close()
        if hasattr(self, "journal"):  # it may be given up before it begins
            self.journal.close()
