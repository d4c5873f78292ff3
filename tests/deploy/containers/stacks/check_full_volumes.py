"""A server's volume is full during a run: once it has space again, the run ends as if nothing had been, without help.

All root file systems are read-only. Needs an engine: `./run test-deploy`. With `-s` it prints its figures.
"""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.deploy.containers.compose_project import ComposeProject, engine
from tests.deploy.containers.manifests.watched_runs import report
from tests.deploy.containers.passwords import password_of
from tests.support.measurements import setting

PROJECT = "millwright-full-volumes"
SMALL = Path(__file__).with_name("small_volumes.yaml")
FULL_S = 45.0
"""How long a volume stays full: the server's health is checked within it."""
FILL = """
import os
file = os.open("/{server}/filler", os.O_CREAT | os.O_WRONLY)
for size in (1 << 20, 1 << 12, 1):
    try:
        while os.write(file, b"x" * size):
            pass
    except OSError as error:
        print(error)
"""
STORED = """
SELECT count(*), count(DISTINCT subject), count(*) FILTER (WHERE subject LIKE 'mw.run.succeeded.%') FROM log.events
"""

pytestmark = pytest.mark.timeout(1800)


@pytest.fixture(scope="module")
def running(project: ComposeProject) -> Iterator[ComposeProject]:
    """All services on small volumes; the project that has built the images is stopped meanwhile."""
    project.output("stop")
    running = ComposeProject(PROJECT).extended_by(SMALL)
    running.down()
    running.provide_s3()
    running.up("--no-build")
    report(setting())
    yield running
    running.down()
    project.up()


@pytest.mark.parametrize(("seed", "server"), [(3, "nats"), (4, "postgres"), (5, "minio")])
def test_full_volume_interrupts_a_run_and_loses_nothing(running: ComposeProject, seed: int, server: str) -> None:
    before = _stored(running)
    solving = running.start_solve("gravity-chute", seed)
    assert solving.stdout is not None
    next(line for line in solving.stdout if "Check design" in line)
    assert "No space left" in running.output("exec", "-T", "filler", "python", "-c", FILL.format(server=server))
    time.sleep(FULL_S)
    named = _health(running, server)
    running.output("exec", "-T", "filler", "rm", f"/{server}/filler")
    freed_s = time.monotonic()
    printed, _ = solving.communicate(timeout=900)
    assert solving.returncode == 0, printed
    assert "SOLVED" in printed
    report(f"- {server} full for {FULL_S:.0f} s: solved {time.monotonic() - freed_s:.0f} s after it had space; {named}")
    events, distinct, succeeded = (new - old for new, old in zip(_stored(running), before, strict=True))
    assert events == distinct
    assert succeeded == 1


def test_nats_names_its_full_volume(running: ComposeProject) -> None:
    """Its health says so while it is full, and it is ended once it is not: it would go on to refuse writes."""
    began = engine("inspect", "--format", "{{.State.StartedAt}}", *running.containers("nats"))
    running.output("exec", "-T", "filler", "python", "-c", FILL.format(server="nats"))
    _until(lambda: "the volume of NATS is full" in _health(running, "nats"))
    running.output("exec", "-T", "filler", "rm", "/nats/filler")
    _until(lambda: engine("inspect", "--format", "{{.State.StartedAt}}", *running.containers("nats")) != began)
    _until(lambda: "healthy" in _health(running, "nats"))


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120.0
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(1.0)


def _health(running: ComposeProject, server: str) -> str:
    """Return the state of a container's health, and what its last check printed."""
    (container,) = running.containers(server)
    health = json.loads(engine("inspect", "--format", "{{json .State.Health}}", container))
    return f"{health['Status']}: {health['Log'][-1]['Output'].strip()}"


def _stored(running: ComposeProject) -> list[int]:
    """Return how many events are recorded, how many of them differ, and how many runs have succeeded."""
    query = ("psql", "-h", "127.0.0.1", "-U", "admin", "-d", "millwright", "-tAF", " ", "-c", STORED)
    given = ("-e", f"PGPASSWORD={password_of('admin')}")
    return [int(each) for each in running.output("exec", "-T", *given, "postgres", *query).split()]
