"""The loop of an evolution: score, reflect, propose, score again; at the end one trial decides.

It keeps nothing of its own: ids of runs and requests follow from the id of the evolution, so that the same command
finds what has happened already, and goes on from there.
"""

import asyncio
import hashlib
import random
from collections.abc import Callable, Sequence
from typing import NamedTuple
from uuid import NAMESPACE_OID, UUID, uuid5

from agent.token_prices import spent_by_role, tokens_of, total_of
from artifacts.port import ArtifactStore
from chassis.bus import Bus
from contracts.envelope import Event, Role, caused_by, opening, outcome_id
from contracts.events.run import EngineeringRequested, RunFailed, RunSucceeded
from contracts.events.skill import (
    LearningRequested,
    SkillLearned,
    SkillRejected,
    TrialCompleted,
    TrialOptions,
    TrialRequested,
)
from contracts.model import Model
from contracts.skills import PinnedSkill, TrialMember
from pydantic import Field, NonNegativeFloat, PositiveInt
from skill_learner.lessons import count_failures
from skill_learner.settings import READERS
from skill_learner.trials.figures import ARMS
from skill_learner.trials.trial_runs import HELD_OUT_FROM, PinnedRun, request_run, run_id_of
from store.skills.versions import LearnedSkill, Skills

from cli.evolution.front import SkillCandidate, Task, TaskScore, best_of, draw_parent, front_of
from cli.runs.run_control import closing

LEARNING_S = 600.0
"""How long the skill-learner may take."""
FEWEST_PAIRS = 9
"""Of the trial: so many that all win adopt."""


class EvolutionOptions(TrialOptions):
    """What is evolved, on which training tasks, and within which budget."""

    name: str
    for_role: Role = "engineer"
    seeds: tuple[int, ...] = Field(min_length=1)
    """Of the training tasks; those of the trial are others, which nothing has learned from."""
    most_runs: PositiveInt = 60
    """Of all tasks and of the trial together."""
    most_usd: NonNegativeFloat | None = None
    number: PositiveInt = 1
    """Another number begins another evolution of the same skill on the same tasks."""

    @property
    def id(self) -> UUID:
        """The same for the same tasks, so that a repeated command continues."""
        parts = (self.name, self.for_role, self.model, self.target, *self.benchmarks, *map(str, self.seeds))
        return uuid5(NAMESPACE_OID, f"evolution {self.number} {hashlib.sha256(repr(parts).encode()).hexdigest()}")

    @property
    def tasks(self) -> list[Task]:
        """The training tasks."""
        return [Task(benchmark, seed) for benchmark in self.benchmarks for seed in self.seeds]


class EvolutionResult(Model):
    """What came of an evolution."""

    candidates: tuple[SkillCandidate, ...]
    trial: TrialCompleted | None
    reason: str
    """Why it ended."""
    runs: int
    tokens: int
    cost_usd: float | None
    """None: a model has no known price."""


class Reflection(NamedTuple):
    """A candidate's run that a change shall be learned from."""

    parent: int | None
    task: int


class Evolution:
    """One evolution."""

    def __init__(
        self,
        bus: Bus,
        artifacts: ArtifactStore,
        skills: Skills,
        options: EvolutionOptions,
        report: Callable[[str], None],
    ) -> None:
        self._bus, self._artifacts, self._skills = bus, artifacts, skills
        self._options, self._report = options, report
        self._runs: list[UUID] = []
        self._slots = asyncio.Semaphore(options.at_once)
        self._others: tuple[PinnedSkill, ...] = ()
        """Other skills that all runs are offered."""

    async def run(self) -> EvolutionResult:
        """Evolve until nothing fails, nothing more is proposed, or the budget is spent; then try the best candidate."""
        name, role = self._options.name, self._options.for_role
        offered = [each for owner in READERS for each in await self._skills.newest(owner)]
        own = [each for each in offered if (each.for_role, each.name) == (role, name)]
        self._others = tuple(
            PinnedSkill(for_role=each.for_role, name=each.name, version=each.version)
            for each in offered
            if each not in own
        )
        current = await self._before(own[0] if own else None)
        base = None if current is None else current.version
        pool = [await self._scored(base, None)]
        reason = await self._explore(pool)
        best = best_of(pool)
        if best.version == base:
            return await self._result(pool, None, f"{reason}; no candidate is better than what is offered")
        pairs = await self._affordable_pairs()
        if pairs < FEWEST_PAIRS:
            return await self._result(pool, None, f"the budget leaves {pairs} pairs of the {FEWEST_PAIRS} of a trial")
        trial = await self._bus.ask(self._trial_request(best, base, pairs))
        return await self._result(pool, trial if isinstance(trial, TrialCompleted) else None, reason)

    async def _before(self, version: LearnedSkill | None) -> LearnedSkill | None:
        """Return the version that was offered before this evolution, which may have had one adopted already."""
        tasks = range(len(self._options.tasks))
        while version is not None:
            base = version.base_version
            if version.learned_from not in {_run_id(self._options.id, base, number) for number in tasks}:
                return version
            version = None if base is None else await self._skills.version(version.name, base)
        return None

    async def _explore(self, pool: list[SkillCandidate]) -> str:
        """Add candidates to the pool; return why it ended."""
        reflected: set[Reflection] = set()
        while True:
            choice = self._choose(pool, reflected)
            if choice is None:
                return "nothing fails on the training tasks that was not reflected on"
            if await self._affordable_pairs(reserve=len(self._options.tasks)) < FEWEST_PAIRS:
                return "the budget for candidates is spent"
            reflected.add(choice)
            learned = await self._reflect(choice)
            if isinstance(learned, SkillLearned) and learned.version not in {each.version for each in pool}:
                pool.append(await self._scored(learned.version, choice.parent))

    def _choose(self, pool: Sequence[SkillCandidate], reflected: set[Reflection]) -> Reflection | None:
        """Return the run of a candidate of the front that is read next; None: there is none with a failure."""
        front = front_of(pool)
        wanted = {
            each.version: [
                Reflection(each.version, number)
                for number, score in enumerate(each.scores)
                if (score.failures or not score.is_solved) and Reflection(each.version, number) not in reflected
            ]
            for each in front
        }
        among = [each for each in front if wanted[each.version]]
        if not among:
            return None
        dice = random.Random(f"{self._options.id} {len(reflected)}")  # noqa: S311 - no secret
        parent = draw_parent(pool, among, dice)
        return min(wanted[parent.version], key=lambda each: parent.scores[each.task].rank)

    async def _scored(self, version: int | None, parent: int | None) -> SkillCandidate:
        tasks = range(len(self._options.tasks))
        scores = await asyncio.gather(*(self._score(version, number) for number in tasks))
        found = SkillCandidate(version=version, parent=parent, scores=tuple(scores))
        solved, failures = found.total
        name = "no version" if version is None else f"version {version}"
        self._report(f"{name}: solved {solved} of {len(scores)} tasks with {-failures} failures")
        return found

    async def _score(self, version: int | None, number: int) -> TaskScore:
        request = await self._run_request(version, number)
        self._runs.append(request.run_id)
        async with self._slots:
            end = await self._bus.ask(request)
        failures, _ = count_failures(await self._bus.history(request.run_id))
        spent = total_of(await spent_by_role(self._bus, request.run_id))
        is_solved = isinstance(end, RunSucceeded) and end.result.is_proven
        return TaskScore(is_solved=is_solved, failures=failures, tokens=tokens_of(spent))

    async def _run_request(self, version: int | None, number: int) -> EngineeringRequested:
        """Return the request of a run on a training task, after its environment's code is stored."""
        options, task = self._options, self._options.tasks[number]
        if task.seed >= HELD_OUT_FROM:
            raise ValueError(f"seed {task.seed} may be held out for a trial")
        own = () if version is None else (PinnedSkill(for_role=options.for_role, name=options.name, version=version),)
        run = PinnedRun(
            run_id=_run_id(options.id, version, number),
            benchmark=task.benchmark,
            seed=task.seed,
            skills=(*self._others, *own),
            member=TrialMember(trial_id=options.id, arm="current" if version is None else "proposed"),
            producer="cli",
        )
        return await request_run(run, options, self._artifacts)

    async def _reflect(self, choice: Reflection) -> Event | None:
        """Ask the skill-learner for a change that this run teaches; return its outcome, None if none came in time."""
        run_id = _run_id(self._options.id, choice.parent, choice.task)
        end = await self._bus.ended(run_id)
        assert isinstance(end, RunSucceeded | RunFailed)
        learning = caused_by(end, uuid5(run_id, "evolution"), "skill-learner", "cli")
        request = LearningRequested(**learning, failures=1, skill=self._options.name)
        await self._bus.publish(request)
        outcome = await self._outcome_of(request)
        found = outcome.line().text if isinstance(outcome, SkillLearned | SkillRejected) else "no answer"
        self._report(f"{self._options.tasks[choice.task]} with version {choice.parent or 'none'}: {found}")
        return outcome

    async def _outcome_of(self, request: LearningRequested) -> Event | None:
        """Wait for the outcome. `Bus.ask` would not, since the run has ended."""
        async with closing(self._bus.follow(request.run_id, linger_s=LEARNING_S)) as events:
            async for event in events:
                if event.id == outcome_id(request.id):
                    return event
        return None

    async def _affordable_pairs(self, reserve: int = 0) -> int:
        """Return how many pairs of a trial the budget leaves, after so many further runs, at the mean price so far."""
        options = self._options
        runs = options.most_runs - len(self._runs) - reserve
        _, spent_usd = await self._spent()
        if options.most_usd is not None and spent_usd:
            runs = min(runs, int((options.most_usd - spent_usd) * len(self._runs) / spent_usd) - reserve)
        return min(options.most_pairs, max(runs, 0) // 2)

    async def _spent(self) -> tuple[int, float | None]:
        """Return tokens and USD of all runs, reflections included."""
        usages = [total_of(await spent_by_role(self._bus, run_id)) for run_id in self._runs]
        costs = [each.cost_usd for each in usages]
        known = [cost for cost in costs if cost is not None]
        return sum(map(tokens_of, usages)), sum(known) if len(known) == len(costs) else None

    def _trial_request(self, best: SkillCandidate, base: int | None, pairs: int) -> TrialRequested:
        assert best.version is not None
        options = TrialOptions.model_validate(
            {name: getattr(self._options, name) for name in TrialOptions.model_fields} | {"most_pairs": pairs}
        )
        trial_id = uuid5(self._options.id, f"trial of {best.version}")
        return TrialRequested(
            **opening(trial_id, "trial", "skill-learner", "cli"),
            name=self._options.name,
            for_role=self._options.for_role,
            version=best.version,
            base_version=base,
            **dict(options),
        )

    async def _result(
        self, pool: Sequence[SkillCandidate], trial: TrialCompleted | None, reason: str
    ) -> EvolutionResult:
        if trial is not None:
            self._runs += await self._runs_of(trial)
        tokens, usd = await self._spent()
        return EvolutionResult(
            candidates=tuple(pool), trial=trial, reason=reason, runs=len(self._runs), tokens=tokens, cost_usd=usd
        )

    async def _runs_of(self, trial: TrialCompleted) -> list[UUID]:
        """Return all runs of the trial, those without a partner included."""
        pairs = range(trial.figures.pairs + self._options.at_once)
        runs = [run_id_of(trial.run_id, pair, arm) for pair in pairs for arm in ARMS]
        return [each for each in runs if await self._bus.latest(EngineeringRequested, each) is not None]


def _run_id(evolution_id: UUID, version: int | None, task: int) -> UUID:
    return uuid5(evolution_id, f"version {version} task {task}")
