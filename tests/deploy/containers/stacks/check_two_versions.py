"""Stacks of two versions side by side on one engine: each solves its run with its own images, servers and schema.

The older version is the newest whose database has another schema. Needs an engine: `./run test-deploy`. With `-s` it
prints its figures.
"""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from store.tables import OWN_SCHEMA

from tests.chaos.replicas.fleet import check_out
from tests.deploy.containers.compose_project import ComposeProject, engine
from tests.deploy.containers.manifests.check_upgrade import git, older
from tests.deploy.containers.manifests.watched_runs import report
from tests.deploy.containers.passwords import password_of
from tests.support.measurements import setting

SOLVES = ("planner", "engineer", "critic", "catalog", "skill-learner", "cad-worker", "sim-worker", "recorder")
BUILT = ("nats", "migrate", *SOLVES)
COUNTS = f"""
SELECT (SELECT version_num FROM {OWN_SCHEMA}.alembic_version), count(DISTINCT run_id),
    count(*) FILTER (WHERE subject LIKE 'mw.run.succeeded.%') FROM log.events
"""

__all__ = ["older"]  # a fixture
pytestmark = pytest.mark.timeout(3600)


@pytest.fixture
def beside(older: str, project: ComposeProject, tmp_path: Path) -> Iterator[ComposeProject]:
    """The stack of the older version, built from its commit, while today's goes on."""
    source = check_out(older, tmp_path / "older")
    images = {name: f"millwright/{'cli' if name in {'migrate', 'cli'} else name}:older" for name in (*BUILT, "cli")}
    file = tmp_path / "images.json"
    file.write_text(json.dumps({"services": {name: {"image": image} for name, image in images.items()}}))
    beside = ComposeProject("millwright-older", source / "deploy").extended_by(file)
    beside.down()
    beside.output("build", *BUILT)
    beside.provide_s3()
    beside.up("--no-build", *SOLVES)
    report(f"{setting()}\n- {older} beside {git('rev-parse', '--short=8', 'HEAD')}")
    yield beside
    beside.down()


def test_stacks_of_two_versions_solve_at_once_and_share_nothing(
    project: ComposeProject, beside: ComposeProject
) -> None:
    project.up("--no-build")  # a restart keeps the images of each
    before, began_s = _counts(project), time.monotonic()
    solving = [stack.start_solve("gravity-chute", 3) for stack in (project, beside)]
    for each in solving:
        printed, _ = each.communicate(timeout=900)
        assert each.returncode == 0, printed
        assert "SOLVED" in printed
    report(f"- both solved gravity-chute at once in {time.monotonic() - began_s:.0f} s")
    schema, runs, succeeded = _counts(beside)
    assert (runs, succeeded) == ("1", "1")
    assert [int(new) - int(old) for new, old in zip(_counts(project)[1:], before[1:], strict=True)] == [1, 1]
    assert schema != before[0]
    for name in SOLVES:
        assert _image(project, name) != _image(beside, name)


def _image(stack: ComposeProject, name: str) -> str:
    return engine("inspect", "--format", "{{.Image}}", *stack.containers(name))


def _counts(stack: ComposeProject) -> list[str]:
    """Return the schema's version, and how many runs the log has and how many of them have succeeded."""
    query = ("psql", "-h", "127.0.0.1", "-U", "admin", "-d", "millwright", "-tAF", " ", "-c", COUNTS)
    given = ("-e", f"PGPASSWORD={password_of('admin')}")
    return stack.output("exec", "-T", *given, "postgres", *query).split()
