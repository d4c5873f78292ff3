"""A rolling upgrade of the pods of deploy/k8s over a migration, while runs are under way, and a return of roles.

The older version is the newest whose database has another schema. The newer one is today's with newer events, so that
today's roles meet what they cannot read. Needs an engine, and the images that the other checks
build: `./run test-deploy`. With `-s` it prints its figures.
"""

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.architecture.repository import git
from tests.chaos.replicas.fleet import check_out
from tests.deploy.containers.compose_project import ComposeProject, engine
from tests.deploy.containers.manifests.pods_of_dev import OURS, UNPROBED, WORKERS, PodsOfDev, in_place_of
from tests.deploy.containers.manifests.watched_runs import WatchRuns, left_runs, report, watched_runs
from tests.manifests.manifests import pod, reaches
from tests.support.measurements import setting

MIGRATIONS = "libs/store/src/store/migrations/versions"
SERVICES = [name for name in OURS if name not in UNPROBED]
OLDER = {name: f"millwright/{name}:older" for name in SERVICES} | dict.fromkeys(UNPROBED, "millwright/cli:older")
"""Images by pod."""
TODAY = {name: image.removesuffix(":older") for name, image in OLDER.items()}
NEWER = {name: f"{image}:newer" for name, image in TODAY.items()}
RAISED = ("run.py", "conversation.py")
"""Modules of contracts whose events have one more schema version in the newer one."""
ROLES = ("planner", "engineer", "critic", "spatial-agent")
"""Those that have no tables but LangGraph's, which no migration changes, and so may return over one."""
REFUSAL = "but this code requires version"
LEFT = "to a newer version: schema version"
UNDECIDED_S = 30.0
"""How long roles that cannot read newer events are the only ones."""

pytestmark = pytest.mark.timeout(3600)


@pytest.fixture(scope="module")
def older() -> str:
    """The commit before the newest migration, whose images are built."""
    migrated = git("log", "-1", "--format=%h", "--diff-filter=A", "--", MIGRATIONS)
    return git("rev-parse", "--short=8", f"{migrated}^")


@pytest.fixture(scope="module")
def running(older: str, project: ComposeProject, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PodsOfDev]:
    """The dev overlay with the images of the older commit, on its schema."""
    build(check_out(older, tmp_path_factory.mktemp("older")), OLDER)
    with in_place_of(project, tmp_path_factory.mktemp("upgraded")) as running:
        running.release(OLDER)
        running.start_all()
        report(f"{setting()}\n- {len(running.names)} pods of {older} are ready")
        yield running


def build(source: Path, images: dict[str, str]) -> None:
    """Build the images of a source tree, with these names."""
    file = source / "images.json"
    file.write_text(json.dumps({"services": {name: {"image": image} for name, image in images.items()}}))
    ComposeProject(f"millwright-{source.name}", source / "deploy").extended_by(file).output("build", *images)


def raise_versions(source: Path) -> None:
    """Give the events of some modules a schema version that today's code does not know."""
    for name in RAISED:
        module = source / "libs/contracts/src/contracts/events" / name
        text, count = re.subn(r"Literal\[([\d, ]+)\] = (\d+)", _with_one_more, module.read_text("utf-8"))
        assert count, f"{name} states no schema versions"
        module.write_text(text, "utf-8")


def _with_one_more(versions: re.Match[str]) -> str:
    newest = int(versions[2]) + 1
    return f"Literal[{versions[1]}, {newest}] = {newest}"


@pytest.fixture
def newer(running: PodsOfDev, tmp_path: Path) -> None:
    """Every service and the command are of the newer version."""
    source = check_out("HEAD", tmp_path / "newer")
    raise_versions(source)
    build(source, NEWER)
    running.release(NEWER)
    running.migrate()
    running.up(*SERVICES)
    _renew_command(running)


def rolled(running: PodsOfDev, names: Sequence[str], images: dict[str, str]) -> None:
    """Replace services by those of other images, one after another."""
    running.release({name: images[name] for name in names})
    drained: list[str] = []
    began_s = time.monotonic()
    for name in names:
        drained.append(f"{name} {running.roll(name):.1f}")
        assert images_of(running, name) == [images[name]]
    report(f"{len(names)} services replaced one after another in {time.monotonic() - began_s:.0f} s")
    report(f"each older pod ended with exit code 0; seconds from SIGTERM on: {', '.join(drained)}")


def images_of(running: PodsOfDev, name: str) -> list[str]:
    """Return the images of a service's running containers."""
    return [engine("inspect", "--format", "{{.Config.Image}}", each) for each in running.containers(name)]


def sets_of_runs_during(running: PodsOfDev, name: str, watch: WatchRuns, change: Callable[[], None]) -> None:
    """Let sets of runs be solved until a change is complete, which begins when the first run has ended.

    `watch` takes the first set, whose command is there before the change.
    """
    begun: list[Future[None]] = []
    with ThreadPoolExecutor(1) as pool:
        watch(running, f"{name}-1", {1: lambda: begun.append(pool.submit(change))})
        (future,) = begun
        sets = 1
        while not future.done():
            sets += 1
            _renew_command(running)
            watched_runs(running, f"{name}-{sets}", {})
        future.result()
    _renew_command(running)
    report(f"{sets} sets of runs meanwhile")


def _replace(running: PodsOfDev, names: Sequence[str], images: dict[str, str]) -> None:
    """Replace services by those of other images, all at once, without waiting until they are ready."""
    running.release({name: images[name] for name in names})
    running.output("up", "--detach", *names)
    assert [images_of(running, name) for name in names] == [[images[name]] for name in names]


def _wait_for_log(running: PodsOfDev, name: str, text: str) -> None:
    """Wait until a service has logged a text; fail after five minutes."""
    deadline = time.monotonic() + 300.0
    while text not in running.output("logs", name):
        assert time.monotonic() < deadline, running.output("logs", name)
        time.sleep(1.0)


def _renew_command(running: PodsOfDev) -> None:
    """Have the command's pod of the version that is released by now."""
    running.output("up", "--detach", "cli")


def test_services_are_upgraded_over_a_migration_during_runs(running: PodsOfDev) -> None:
    def upgrade() -> None:
        running.release({name: TODAY[name] for name in UNPROBED})
        running.migrate()
        rolled(running, SERVICES, TODAY)

    sets_of_runs_during(running, "upgraded", left_runs, upgrade)


@pytest.mark.usefixtures("newer")
def test_roles_return_to_today_beside_newer_workers_and_back(running: PodsOfDev) -> None:
    """They leave what they cannot decide without newer events to newer roles: such runs end after the way back.

    All at once: beside newer pods, which would do the work, a Deployment has none of the older ones ready.
    """

    def there_and_back() -> None:
        _replace(running, ROLES, TODAY)
        _wait_for_log(running, "planner", LEFT)
        time.sleep(UNDECIDED_S)
        left = [f"{name} {running.output('logs', name).count(LEFT)}" for name in ROLES]
        report(f"{UNDECIDED_S:.0f} s without newer roles; messages left to them: {', '.join(left)}")
        _replace(running, ROLES, NEWER)
        running.up("--no-recreate", *ROLES)

    sets_of_runs_during(running, "returned", watched_runs, there_and_back)
    assert [images_of(running, name) for name in WORKERS] == [[NEWER[name]] for name in WORKERS]


@pytest.mark.parametrize("name", ["recorder", "catalog"])
def test_service_of_an_older_schema_does_not_replace_the_new_one(running: PodsOfDev, name: str) -> None:
    assert "postgres" in reaches(pod("dev", name))
    (new,) = running.containers(name)
    running.release({name: OLDER[name]})
    running.output("up", "--detach", "--no-recreate", "--scale", f"{name}=2", name)
    (old,) = set(running.output("ps", "--all", "--quiet", name).split()) - {new}
    _wait_for_log(running, name, REFUSAL)
    assert engine("inspect", "--format", "{{.State.Health.Status}}", old) != "healthy"
    engine("rm", "--force", old)
    assert engine("inspect", "--format", "{{.State.Health.Status}} {{.RestartCount}}", new) == "healthy 0"
