"""What real servers and the sandbox refuse, in containers. Needs an engine: `./run test-deploy`."""

import json
from pathlib import Path

import pytest

from tests.architecture.repository import ROOT
from tests.deploy.composition import Composition
from tests.deploy.passwords import password_of
from tests.deploy.verdict import Verdict

SERVERS = ("nats:4222", "postgres:5432", "minio:9000")
METADATA = "169.254.169.254:80"
"""Where a cloud has one. That nobody in this container reaches such a place is held by check_networks.py."""
ABSENT = {"read the repository", "read the benchmarks' solutions", "overwrite the library", "empty the library"}
"""What these are aimed at is not in the image."""
STRANGER = {"AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "403"}
"""How S3 servers say that they do not know somebody, or not by this password; a status where no body may follow."""

pytestmark = pytest.mark.timeout(1800)


@pytest.mark.parametrize(("own", "other"), [("planner", "recorder"), ("engineer", "critic"), ("critic", "admin")])
def test_a_service_with_anothers_name_or_in_anothers_place_is_refused(
    composition: Composition, own: str, other: str
) -> None:
    arguments = (own, password_of(own), other)
    said = json.loads(composition.inside(own, Path(__file__).with_name("trespassing.py"), arguments))
    assert said.pop("log in to NATS as oneself") == "let in"
    assert said.pop("log in to Postgres as oneself") == "done"
    assert "authorization violation" in said.pop("log in to NATS as the other").lower()
    assert "permissions violation" in said.pop("say what only cad-worker may say").lower()
    assert "password authentication failed" in said.pop("log in to Postgres as the other")
    assert said.pop("look for the bucket as oneself") == "done"
    assert said.pop("look for the bucket as the other") in STRANGER
    assert {said.pop("delete a blob"), said.pop("make a bucket")} == {"AccessDenied"}
    for attempt, answer in said.items():
        assert "permission denied" in answer, attempt


def test_no_attack_gets_out_of_a_kernel_in_the_workers_own_container(composition: Composition) -> None:
    mount = f"{ROOT / 'tests'}:/opt/millwright/tests:ro"
    verdict = Verdict.model_validate_json(
        composition.told(
            *("run", "--rm", "-T", "--no-deps", "--volume", mount, "--env", "PYTHONPATH=/opt/millwright"),
            *("cad-worker", "python", "-m", "tests.deploy.attack_probe", *SERVERS, METADATA),
        )
    )
    assert verdict.user == 10001
    assert verdict.tried > 100
    assert {name: came for name, came in verdict.not_denied.items() if name not in ABSENT} == {}
    assert all("No such file" in verdict.not_denied[name] for name in ABSENT & verdict.not_denied.keys())
    assert {f"connect to {server}" for server in SERVERS} <= set(verdict.unconfined), (
        "so that a refusal means something"
    )
