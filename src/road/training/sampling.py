"""The sampler that a plan asks for: it weighs every row where the mixtures have priorities."""

from road.data.dataset import Dataset
from road.mixing import Moment
from road.replay.sampler import MixedSampler
from road.replay.storage import OnlineBuffer
from road.reweighting.balanced_replay import BalancedReplay
from road.tasks.task import Task
from road.training.config import Plan
from road.training.offline import offline_rows
from road.types import Spec


def make_sampler(plan: Plan, task: Task, dataset: Dataset) -> MixedSampler:
    config, mixer = plan.config, plan.mixer
    # No more rows than the run can write: memory is touched up front.
    capacity = max(min(config.buffer_capacity, config.online_steps), 1)
    spec = Spec(dataset.observation.shape[1], dataset.action.shape[1])
    offline = offline_rows(dataset, task, plan.recipe.online.discount)
    online = OnlineBuffer(spec, capacity)
    first = mixer.propose(mixer.init(config.seed), Moment(0.0, len(offline), 0))
    return MixedSampler(
        offline=offline,
        online=online,
        enough_online=min(config.batch_size, capacity),
        weighing=None
        if first.priorities is None
        else BalancedReplay(first.priorities, offline, online, config.seed),
    )
