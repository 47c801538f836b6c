"""The parts of a run that its plan decides: what gives online rows, what judges, what trains."""

from road.replay.sampler import MixedSampler
from road.rng import NumpyStream, Stream, jax_stream
from road.tasks.task import Task
from road.training.appraisal import compile_appraisal
from road.training.compiled import CompiledAgent
from road.training.config import Plan
from road.training.evaluate import Evaluator
from road.training.evidence import EvidenceCollector
from road.training.learner import EVERY_STEP, Trainer, alone
from road.training.loop import OnlineLoop
from road.training.probe_learners import CompiledProbes, ProbeScorer
from road.training.replay_log import LogReplay, new_rows
from road.training.rollout import Rollout


def make_rollout(plan: Plan, task: Task) -> Rollout | LogReplay:
    """The source of online rows."""
    if plan.log is None:
        return Rollout(task, plan.config.seed)
    return LogReplay(new_rows(plan.log, task), task, plan.log.spaces)


def make_evaluator(plan: Plan, task: Task) -> Evaluator | None:
    """None where there is no environment to judge an agent in."""
    if plan.log is not None:
        return None
    return Evaluator(task.judged, plan.config.seed, plan.config.evaluation_episodes)


def make_online_loop(
    plan: Plan,
    task: Task,
    compiled: CompiledAgent,
    rollout: Rollout | LogReplay,
    sampler: MixedSampler,
    probes: CompiledProbes | None,
) -> OnlineLoop:
    """A trainer for each learner; all share the replay buffer and the compiled functions."""
    return OnlineLoop(
        compiled,
        rollout,
        sampler.online,
        tuple(
            make_trainer(plan, compiled, sampler, probes, index)
            for index in range(len(plan.mixers))
        ),
        plan.config,
        None if probes is None else make_scorer(plan, sampler, probes),
        random_warmup=plan.recipe.random_warmup,
        failure_reward=task.failure,
    )


def make_trainer(
    plan: Plan,
    compiled: CompiledAgent,
    sampler: MixedSampler,
    probes: CompiledProbes | None,
    index: int,
) -> Trainer:
    """Learners beside the main one are probes, where there are probes."""
    update, training = alone(compiled), EVERY_STEP
    if index and probes is not None:
        update, training = probes.update, plan.probe_training
    measure = EvidenceCollector(compiled, sampler, plan.config, index)
    mixer = plan.mixers[index]
    trainer = Trainer(index, update, sampler, mixer, measure, plan.config, training)
    if sampler.consults:
        trainer.appraise = compile_appraisal(compiled, plan.config.seed)
    return trainer


def make_scorer(plan: Plan, sampler: MixedSampler, probes: CompiledProbes) -> ProbeScorer:
    key = jax_stream(plan.config.seed, Stream.SCORING)
    draws = NumpyStream(plan.config.seed, Stream.SCORING)
    warmup = plan.config.warmup_steps
    return ProbeScorer(probes, sampler, key, warmup, plan.probe_training, draws)
