"""A whole run: pretrain, carry, fine-tune; journalled, evaluated, saved, and continued exactly.

Killed at any moment and continued, a run ends with the same bits as one that was not interrupted.
"""

import signal
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from road.data.diagnostics import examine
from road.data.fingerprint import fingerprint
from road.errors import EnvironmentFailure, Interrupted, Preempted
from road.mixing.probe_errors import ErrorTally
from road.records.folder import INTERFACE, RunFolder
from road.records.journal import Journal
from road.rng import LEARNER, Stream, jax_stream
from road.stopping import StopRequest
from road.tasks.closing import close_all
from road.training.buffers import make_sampler, offline_rows
from road.training.checkpoint import save_checkpoint
from road.training.compiled import Leaves, Metrics, compile_agent
from road.training.config import Plan
from road.training.continued import inherit_agent
from road.training.duration import Expectation, expect
from road.training.estimate import check_memory
from road.training.evaluate import judged_policy
from road.training.events import Evaluated, Note, Notify, PhaseStarted, Prepared, Progressed
from road.training.fitting import check_arrays, check_state, refusing
from road.training.guards import guarded
from road.training.identity import identity_of
from road.training.interface import describe_interface
from road.training.learner import Learner, Trained
from road.training.log_statistics import LogJudge
from road.training.loop import OnlineLoop, OnlineStep, pretrain, stack_before
from road.training.parts import make_evaluator, make_online_loop, make_rollout
from road.training.probe_learners import compile_probes
from road.training.replay_log import LogReplay, fingerprint_of_both
from road.training.scoring import ProbeScores
from road.training.state import RunState
from road.training.validate import check_spaces
from road.types import Spec


class Run:
    """The parts of a run, put together from its plan; what changes is in ``state``."""

    def __init__(self, plan: Plan, folder: RunFolder, notify: Notify, stop: StopRequest) -> None:
        self.plan, self.config, self.recipe = plan, plan.config, plan.recipe
        self.folder, self.notify, self.stop = folder, notify, stop
        # What may be missing is needed first: one environment, then the data, then the others.
        if plan.log is None:
            self.say(close_all([guarded("make", 0, plan.task.environment)]))
        dataset = plan.task.dataset()
        for found in examine(dataset).warnings:
            notify(Note(f"data: {found}"))
        self.data = fingerprint(dataset)
        self.task = plan.task.learnt_by(plan.agent_name, dataset)
        self.rollout = make_rollout(plan, self.task)
        self.evaluator = make_evaluator(plan, self.task)
        spec = Spec(dataset.observation.shape[1], dataset.action.shape[1])
        check_spaces(spec, self.task, self.rollout)
        check_memory(plan, spec)
        self.online_agent = compile_agent(self.recipe.online, spec)
        self.offline_agent = self.online_agent
        if self.recipe.offline is not None and self.recipe.offline != self.recipe.online:
            self.offline_agent = compile_agent(self.recipe.offline, spec)
        self.sampler = make_sampler(plan, self.task, dataset)
        self.judge = self.make_judge()
        self.probes = None
        if len(plan.mixers) > 1:
            own_actor = plan.probe_training.actor
            self.probes = compile_probes(self.online_agent, own_actor=own_actor)

    def say(self, faults: Iterable[str]) -> None:
        for fault in faults:
            self.notify(Note(fault))

    def make_judge(self) -> LogJudge | None:
        """What judges an agent where only a log is there."""
        if not isinstance(self.rollout, LogReplay):
            return None
        self.data = fingerprint_of_both(self.data, self.rollout.dataset)
        new = offline_rows(self.rollout.dataset, self.task, self.recipe.online.discount)
        return LogJudge(self.online_agent, self.sampler.offline, new, self.config.seed)

    def begin(self) -> None:
        if self.plan.log is not None:
            agent = inherit_agent(self.plan, self.offline_agent, self.online_agent)
        else:
            agent = self.offline_agent.init(jax_stream(self.config.seed, Stream.INITIALISING))
        self.state = RunState((self.learner(0, agent),))
        if self.recipe.offline is None or self.plan.log is not None:
            self.go_online()
        self.journal = Journal(self.folder.path, {})

    def learner(self, index: int, agent: Leaves) -> Learner:
        """The main learner's mixer draws by the run's seed, each other one by a seed of its own."""
        return Learner(agent, self.plan.mixers[index].init(self.config.seed + LEARNER * index))

    def go_online(self) -> None:
        """Every learner starts from what the main one has learnt offline."""
        main = self.state.main
        if self.probes is not None:
            start = self.probes.start(main.agent)
            beside = range(1, len(self.plan.mixers))
            self.state.learners = (main, *(self.learner(index, start) for index in beside))
            main.scores = ProbeScores(ErrorTally(len(beside)))
        self.state.counters.phase = "online"

    def restore(self, state: RunState) -> None:
        """Continue from a checkpoint.

        Raises:
            DamagedError: it does not fit the plan, or its journals are not those that it counts on.
        """
        self.state = state
        self.check_fit()
        digests = {} if state.identity is None else state.identity.journals
        self.journal = Journal(self.folder.path, state.journals, digests)
        if state.online_rows is not None and state.episode_actions is not None:
            refusing(
                self.sampler.online.restore,
                state.online_rows,
                state.online_written,
                state.online_running,
            )
            self.rollout.restore(state.counters.episode, list(state.episode_actions))
        # A run that begins at the switch has weighed nothing yet.
        weighing = self.sampler.weighing
        if weighing is not None and state.weighing:
            check_arrays(state.weighing, weighing.arrays(), "priorities")
            refusing(weighing.restore, state.weighing)

    def check_fit(self) -> None:
        """Types, shapes and counts, before any of them is used."""
        online = self.state.counters.phase != "offline" and self.config.online_steps > 0
        agent = self.online_agent if online else self.offline_agent
        check_state(self.state, self.plan, agent, self.probes)

    def execute(self, *, until_switch: bool = False) -> None:
        """Run to the end, or raise what the command line turns into an exit code.

        Until the switch means: with everything that belongs to the offline phase, and no step more.
        """
        counters = self.state.counters
        self.folder.write(INTERFACE, self.interface())
        self.notify(Prepared(self.expect))
        if counters.phase == "offline":
            self.pretrain()
        if until_switch:
            self.save()
            return
        if counters.phase == "offline" and self.config.online_steps:
            offline = self.offline_agent.tree(self.state.main.agent)
            self.state.main.agent = self.online_agent.leaves(self.recipe.carry(offline))
            self.go_online()
        if counters.phase == "online":
            self.finetune()
        counters.phase = "done"
        self.save()

    def expect(self) -> Expectation:
        """How long what is left of the run will take."""
        agents = self.offline_agent, self.online_agent
        left = expect(*agents, self.sampler, self.config, self.state)
        return replace(left, on_log=self.plan.log is not None)

    def interface(self) -> dict[str, Any]:
        """What a policy needs beside a checkpoint."""
        offline = None if self.recipe.offline is None else self.offline_agent
        return describe_interface(self.rollout.spaces, offline, self.online_agent)

    def pretrain(self) -> None:
        total = self.config.offline_steps
        if total:
            self.notify(PhaseStarted("offline", self.state.counters.offline_updates, total))
        with self.saving_if_the_environment_fails():
            self.after_step()
            for metrics in pretrain(self.offline_agent, self.sampler, self.config, self.state):
                self.log_metrics(metrics)
                self.notify(Progressed("offline", self.state.step, 1.0))
                self.after_step()

    def finetune(self) -> None:
        total = self.config.online_steps
        self.notify(PhaseStarted("online", self.state.counters.online_steps, total))
        with self.saving_if_the_environment_fails():
            self.after_step()
            for step in self.online_loop().run(self.state):
                self.log_step(step)
                ratio = step.learners[0].mixture.offline_ratio
                self.notify(Progressed("online", self.state.step, ratio))
                self.after_step()

    def online_loop(self) -> OnlineLoop:
        return make_online_loop(
            self.plan, self.task, self.online_agent, self.rollout, self.sampler, self.probes
        )

    @contextmanager
    def saving_if_the_environment_fails(self) -> Generator[None]:
        try:
            yield
        except EnvironmentFailure:
            self.save()  # the state is that of the last whole step
            raise

    def log_metrics(self, metrics: Metrics, learner: int = 0) -> None:
        if self.reached(self.config.log_every):
            row = {"phase": self.state.counters.phase, "step": self.state.step, **metrics.last()}
            self.journal.append("metrics", of_learner(learner, row))

    def log_step(self, step: OnlineStep) -> None:
        self.note_waiting(step.learners[0])
        for index, trained in enumerate(step.learners):
            if trained.metrics is not None:
                self.log_metrics(trained.metrics, index)
        if step.episode is not None:
            row = {
                "step": self.state.step,
                "return": step.episode.raw_return,
                "length": step.episode.length,
                "terminated": step.episode.terminated,
            }
            self.journal.append("episodes", row)
        for index, trained in enumerate(step.learners):
            if trained.period is not None:
                row = trained.period.as_row(self.state.step)
                self.journal.append("mixer", of_learner(index, row))

    def note_waiting(self, trained: Trained) -> None:
        """Say once that the ratio is not in force yet."""
        counters = self.state.counters
        if trained.waiting and trained.metrics is not None and not counters.said_waiting:
            counters.said_waiting = True
            enough = self.sampler.enough_online + trained.mixture.held_back
            self.notify(Note(f"batches are all offline until {enough} online rows are stored"))

    def after_step(self) -> None:
        """Between two steps: evaluate and save what is due, and stop if asked to."""
        evaluated = self.evaluation_due() and self.evaluate()
        if evaluated or self.checkpoint_due() or self.stop():
            self.save()
        if self.stop():
            where = f"saved at {self.state.counters.phase} step {self.state.step}"
            how = f"continue with {self.plan.resume_command(self.folder.path)}"
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
        if self.evaluator is None:
            return self.judge_by_log()
        compiled = self.offline_agent if counters.phase == "offline" else self.online_agent
        index = counters.evaluations
        policy = judged_policy(compiled, self.state.main.agent, self.config.seed, index)
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

    def judge_by_log(self) -> bool:
        """Where there is no environment: statistics of logged rows, and no score."""
        assert self.judge is not None
        counters, step = self.state.counters, self.state.step
        counters.last_evaluated = f"{counters.phase} {step}"
        row = {"phase": counters.phase, "step": step, **self.judge(self.state.main.agent)}
        self.journal.append("metrics", row)
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
        width = self.online_agent.spec.action_dim
        state.episode_actions = np.array(actions, np.float32).reshape(len(actions), width)
        self.journal.sync()
        state.journals = self.journal.lengths
        state.identity = identity_of(self.plan, self.data, self.journal.digests)
        save_checkpoint(
            self.folder.checkpoints,
            state.position,
            state.arrays(),
            state.document(),
            state.counters.best_position,
            state.identity.to_json(),
        )

    def close(self) -> None:
        evaluator = [] if self.evaluator is None else self.evaluator.close()
        self.say(dict.fromkeys([*self.rollout.close(), *evaluator]))
        if hasattr(self, "journal"):  # it may be given up before it begins
            self.journal.close()


def of_learner(index: int, row: dict[str, Any]) -> dict[str, Any]:
    """A journal's row; without an index it is the main learner's."""
    return {"learner": index, **row} if index else row
