"""The services of the cluster: the real roles, and workers that answer at once."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false
# Doubles take the arguments of what they stand in for, and ignore them.

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import agent.role_app
import cad_worker.app
import cad_worker.kernels
import critic.app
import engineer.app
import planner.app
from agent.model.role_model import CallSettings, RoleModel
from artifacts.testing import FakeArtifacts
from cad_worker.settings import Settings as CadSettings
from cad_worker.tools.session_tools import SessionTools
from chassis.app import App
from chassis.background_tasks import PeriodicTask
from chassis.delivery.isolation import Isolation
from contracts.envelope import Event, Request, answering
from contracts.events.catalog import CatalogSearched, CatalogSearchRequested
from contracts.events.design import DesignSimulated, DesignSubmitted, DesignValidated
from contracts.events.run import EnvironmentBuilt, EnvironmentRequested, RunSucceeded
from contracts.events.session import CellCompleted, CellRequested, SessionOpened, SessionRequested
from contracts.events.simulation import FilmCompleted, FilmRequested
from contracts.events.skill import SkillRejected, SkillsOffered, SkillsRequested
from contracts.models.artifact import ArtifactRef
from contracts.models.assessment import AssessmentRecord
from contracts.models.observation import Observation, Variable
from critic.policy import Critic
from engineer.policy import Engineer
from kernel_host.sessions.initial_files import InitialFiles
from planner.policy import Planner
from planner.settings import Settings

from tests.contracts import example_values as values
from tests.simulation.cluster import Cluster, MakeApps
from tests.simulation.doubles.kernel_host import STABLE, MemoryHost, MemoryReviewTools
from tests.simulation.doubles.provider import Chat
from tests.simulation.doubles.thread_store import FakeCheckpoints
from tests.simulation.event_loop import current_process

Handle = Callable[[Any], Awaitable[Event]]


class AnyArtifacts(FakeArtifacts):
    """Counts every artifact as uploaded: the examples name some that exist nowhere."""

    async def wait_until_uploaded(self, refs: Iterable[ArtifactRef]) -> None:
        """Return at once."""

    async def problem(self) -> str | None:
        """Return none: memory is always available."""
        return None


@lru_cache
def settings() -> Settings:
    """Return the settings of all services; no address in them is used."""
    return Settings(
        database_url="postgresql://nowhere/none",
        s3_endpoint="nowhere:1",
        s3_access_key="none",
        s3_secret_key="none",
        role_workers=1,
    )


@lru_cache
def _policies() -> tuple[Any, Any, Any]:
    """Return policies without state of their own: reading their prompts takes longer than a schedule."""
    return Planner(lambda _, /, *, priced=False: None, AnyArtifacts()), Engineer(), Critic(AnyArtifacts())


_MODULES = {"planner": planner.app, "engineer": engineer.app, "critic": critic.app}


def _role_apps(name: str, cluster: Cluster) -> Sequence[App]:
    """Build the app of a role with the provider, the database and the artifacts of the cluster."""
    policies = _policies()

    class Models(RoleModel):
        @classmethod
        def configured(cls, *_arguments: Any, role: Any = None, **_options: Any) -> RoleModel:
            return RoleModel(lambda model: Chat(cluster.provider, model, role), settings=CallSettings(role=role))  # pyright: ignore[reportArgumentType]

    no_schema = PeriodicTask(f"{name} has its schema", _nothing, NEVER_S)
    with (
        patch.object(agent.role_app, "RoleModel", Models),
        patch.object(agent.role_app, "PostgresCheckpoints", lambda *_, **__: FakeCheckpoints(cluster.database, name)),
        patch.object(agent.role_app, "RequiredSchema", lambda _: no_schema),
        patch.object(agent.role_app, "Artifacts", lambda _: cluster.artifacts),
        patch.object(planner.app, "Planner", lambda *_: policies[0]),
        patch.object(planner.app, "ADMIT_EVERY_S", NEVER_S),  # it would hide an event that lets no run in
        patch.object(engineer.app, "Engineer", lambda: policies[1]),
        patch.object(critic.app, "Critic", lambda *_: policies[2]),
    ):
        return [_MODULES[name].make_app(settings())]  # pyright: ignore[reportArgumentType]


async def _nothing() -> None:
    """The database of a schedule has no tables."""


async def build_environment(request: EnvironmentRequested) -> Event:
    return EnvironmentBuilt(**answering(request, "cad-worker"), environment=values.ENVIRONMENT, build_s=0.1)


async def check_world(request: EnvironmentBuilt) -> Event:
    return values.checked(request)


async def open_session(request: SessionRequested) -> Event:
    return SessionOpened(**answering(request, "cad-worker"), ready_s=0.1, files=("script.py",))


async def run_cell(request: CellRequested) -> Event:
    """Return the outcome of a cell without a kernel."""
    if request.role == "critic":
        assessed = Variable(name="stability", type="Assessment", summary="stable", change="new", fingerprint=STABLE)
        record = AssessmentRecord(assessment=values.ASSESSMENT, fingerprint=STABLE)
        observation = Observation(status="ok", variables=(assessed,))
        return CellCompleted(**answering(request, "cad-worker"), observation=observation, assessment=record)
    ending = values.SUBMISSION if "submit" in request.code else None
    return CellCompleted(**answering(request, "cad-worker"), observation=Observation(status="ok"), ending=ending)


async def _judge(request: DesignSubmitted) -> Event:
    return DesignValidated(
        **answering(request, "cad-worker"),
        assignment=request.assignment,
        model=request.model,
        scene=values.SCENE,
        delivery=values.DELIVERY,
        bill=values.BILL,
    )


NEVER_S = 1e6
SIMULATION_S = (0.0, 0.5, 2.0)
"""How long a simulation takes; that of a poisoned run kills its process then."""
NEIGHBOUR_S = 15.0
"""How long the simulation of a poisoned run's neighbour takes: it is in hand at every death."""
_SOLVED = values.RESULT.model_copy(update={"replicas": ()})


async def _simulate(request: DesignValidated, cluster: Cluster) -> Event:
    is_poisoned, process = request.run_id == cluster.poisoned_run, current_process()
    is_neighbour = cluster.poisoned_run is not None and not is_poisoned
    await asyncio.sleep(NEIGHBOUR_S if is_neighbour else cluster.random.choice(SIMULATION_S))
    if is_poisoned and process is not None:
        process.kill()
        await asyncio.Event().wait()
    return DesignSimulated(
        **answering(request, "sim-worker"),
        assignment=request.assignment,
        model=request.model,
        delivery=values.DELIVERY,
        bill=values.BILL,
        result=_SOLVED,
    )


async def _film(request: FilmRequested) -> Event:
    return FilmCompleted(**answering(request, "sim-worker"), summary_md="SOLVED", media=values.MEDIA)


async def _offer_skills(request: SkillsRequested) -> Event:
    return SkillsOffered(**answering(request, "skill-learner"), skills=())


async def _learn(request: RunSucceeded) -> Event:
    return SkillRejected(**answering(request, "skill-learner"), reason="nothing_failed", detail="no failure")


async def _search(request: CatalogSearchRequested) -> Event:
    return CatalogSearched(**answering(request, "catalog"), found=())


async def _no_order(*_arguments: Any) -> Any:
    return SimpleNamespace()


def _no_known_order(_session: Any) -> Any:
    return SimpleNamespace()


async def _no_files(*_arguments: Any) -> InitialFiles:
    return InitialFiles({}, {})


async def _no_review_files(*_arguments: Any) -> dict[str, bytes]:
    return {}


async def _submission(*_arguments: Any) -> Any:
    return values.SUBMISSION


def _cad_worker_apps(cluster: Cluster) -> Sequence[App]:
    """Build the real cad-worker on a host without kernels."""
    with (
        patch.object(cad_worker.app, "Artifacts", lambda _: cluster.artifacts),
        patch.object(cad_worker.app, "KernelHost", lambda *_, **__: MemoryHost(cluster)),
        patch.object(cad_worker.app, "build_environment", _ignore_dependencies(build_environment)),
        patch.object(cad_worker.app, "judge_design", _ignore_dependencies(_judge)),
    ):
        return [cad_worker.app.make_app(_cad_settings())]


def _ignore_dependencies(handle: Handle) -> Handle:
    async def answer(request: Any, **_dependencies: Any) -> Event:
        return await handle(request)

    return answer


@lru_cache
def _cad_settings() -> CadSettings:
    return CadSettings.model_validate(settings().model_dump(include=set(CadSettings.model_fields)))


SESSION_SEAMS: tuple[tuple[Any, str, Any], ...] = (
    (cad_worker.kernels, "session_order", _no_order),
    (cad_worker.kernels, "order_of", _no_known_order),
    (cad_worker.kernels, "with_review", _no_order),
    (cad_worker.kernels, "initial_files", _no_files),
    (cad_worker.kernels, "review_files", _no_review_files),
    (cad_worker.kernels, "ReviewTools", MemoryReviewTools),
    (SessionTools, "_submission", _submission),
)
"""What a session fetches and computes, replaced while a schedule runs."""


def simple_workers(cluster: Cluster) -> Sequence[App]:
    """Build all workers, without sessions."""
    cad_worker_answers: dict[type[Request], Handle] = {
        EnvironmentRequested: build_environment,
        SessionRequested: open_session,
        CellRequested: run_cell,
        DesignSubmitted: _judge,
    }
    return _in_one_process([_worker("cad-worker", cad_worker_answers), *_sim_worker_and_others(cluster)])


def other_workers(cluster: Cluster) -> Sequence[App]:
    """Build the workers besides cad-worker."""
    return _in_one_process([*_sim_worker_and_others(cluster), _worker("catalog", {CatalogSearchRequested: _search})])


def _sim_worker_and_others(cluster: Cluster) -> Sequence[App]:
    simulate = partial(_simulate, cluster=cluster)
    answers: dict[type[Request], Handle] = {
        EnvironmentBuilt: check_world,
        DesignValidated: simulate,
        FilmRequested: _film,
    }
    learner: dict[type[Request], Handle] = {SkillsRequested: _offer_skills, RunSucceeded: _learn}
    return [_worker("sim-worker", answers, workers=2), _worker("skill-learner", learner)]


def _worker(name: str, answers: Mapping[type[Request], Handle], workers: int = 1) -> App:
    app = App(name, settings())
    app.stores_large_fields_in(AnyArtifacts())
    for request, handle in answers.items():
        app.answers(request, handle, workers, after_end=request is RunSucceeded)
    return app


def _in_one_process(apps: Sequence[App]) -> Sequence[App]:
    isolation = Isolation()
    for app in apps:
        app.share_isolation(isolation)
    return apps


ROLES: dict[str, MakeApps] = {name: partial(_role_apps, name) for name in _MODULES}
WITH_SESSIONS: dict[str, MakeApps] = {**ROLES, "cad-worker": _cad_worker_apps, "workers": other_workers}
WITHOUT_SESSIONS: dict[str, MakeApps] = {**ROLES, "workers": simple_workers}
