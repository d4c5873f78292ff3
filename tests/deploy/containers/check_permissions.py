"""What servers and sandbox deny in containers. Needs an engine: `./run test-deploy`."""

import json
from pathlib import Path

import pytest

from tests.architecture.repository import ROOT
from tests.deploy.containers.compose_project import ComposeProject
from tests.deploy.containers.passwords import password_of
from tests.deploy.sandbox.attack_report import AttackReport

SERVERS = ("nats:4222", "minio:9000")
"""Those that the worker itself reaches: it cannot even resolve the name of Postgres."""
METADATA = "169.254.169.254:80"
"""A cloud's metadata address. check_networks.py tests that the container does not reach it either."""
ABSENT = {"read the repository", "read the benchmarks' solutions", "overwrite the library", "empty the library"}
"""Attacks whose target is not in the image."""
UNKNOWN_USER = {"AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "403"}
"""Answers of S3 servers to an unknown user or a wrong password; a status where the answer has no body."""

pytestmark = pytest.mark.timeout(1800)


@pytest.mark.parametrize(("own", "other"), [("planner", "recorder"), ("engineer", "critic"), ("critic", "admin")])
def test_service_acting_as_another_is_refused(project: ComposeProject, own: str, other: str) -> None:
    arguments = (own, password_of(own), other)
    answers = json.loads(project.run_script(own, Path(__file__).with_name("permission_probe.py"), arguments))
    assert answers.pop("log in to NATS as itself") == "logged in"
    assert answers.pop("log in to Postgres as itself") == "done"
    assert "authorization violation" in answers.pop("log in to NATS as the other").lower()
    assert "permissions violation" in answers.pop("publish what only cad-worker may publish").lower()
    assert "password authentication failed" in answers.pop("log in to Postgres as the other")
    assert answers.pop("look for the bucket as itself") == "done"
    assert answers.pop("look for the bucket as the other") in UNKNOWN_USER
    assert {answers.pop("delete an artifact"), answers.pop("create a bucket")} == {"AccessDenied"}
    for attempt, answer in answers.items():
        assert "permission denied" in answer, attempt


def test_attacks_on_a_kernel_are_denied_in_the_workers_container(project: ComposeProject) -> None:
    mount = f"{ROOT / 'tests'}:/opt/millwright/tests:ro"
    report = AttackReport.model_validate_json(
        project.output(
            *("run", "--rm", "-T", "--no-deps", "--volume", mount, "--env", "PYTHONPATH=/opt/millwright"),
            *("cad-worker", "python", "-m", "tests.deploy.sandbox.attack_probe", *SERVERS, METADATA),
        )
    )
    assert report.user == 10001
    assert report.tried > 100
    assert {name: came for name, came in report.not_denied.items() if name not in ABSENT} == {}
    assert all("No such file" in report.not_denied[name] for name in ABSENT & report.not_denied.keys())
    assert {f"connect to {server}" for server in SERVERS} <= set(report.harmless_outside), (
        "otherwise a denial proves nothing"
    )
