"""What a service that runs as a child process sees of the user's environment."""

import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from local_stack.service_environment import SETTINGS, WITHOUT_PROVIDERS, service_environment
from local_stack.services import EMBEDDED, GATEWAY, WORKERS

from tests.architecture.repository import ROOT

SECRETS = {
    "OPENAI_API_KEY": "key",
    "ANTHROPIC_API_KEY": "key",
    "MODEL_ENDPOINTS": "{}",
    "HTTPS_PROXY": "http://user:password@proxy:3128",
    "https_proxy": "http://user:password@proxy:3128",
}
OTHERS = {"AWS_SECRET_ACCESS_KEY": "key", "GITHUB_TOKEN": "token", "SSH_AUTH_SOCK": "/tmp/agent", "MY_KEY": "key"}
SERVERS = {"NATS_URL": "nats://host", "S3_ENDPOINT": "host:1", "S3_ACCESS_KEY": "a", "S3_SECRET_KEY": "b"}
DATABASE = {"DATABASE_URL": "postgresql://host/db"}
SYSTEM = {"PATH": "/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://host"}
ALL = {**SECRETS, **OTHERS, **SERVERS, **DATABASE, **SYSTEM}
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text("utf-8"))["services"]


@pytest.mark.parametrize("worker", WORKERS)
def test_worker_sees_no_key_and_no_database(worker: str) -> None:
    assert service_environment(worker, ALL) == {**SERVERS, **SYSTEM}


def test_recorder_sees_the_database_and_no_key() -> None:
    seen = service_environment("recorder", ALL)
    assert seen == {"NATS_URL": ALL["NATS_URL"], **DATABASE, **SYSTEM}


def test_role_sees_keys_of_providers_and_no_others() -> None:
    assert service_environment("engineer", ALL) == {**SECRETS, **SERVERS, **DATABASE, **SYSTEM}


@pytest.mark.parametrize("service", SETTINGS)
def test_variables_that_containers_receive_pass_here_too(service: str) -> None:
    given: Mapping[str, object] = COMPOSE[service]["environment"]
    environment = dict.fromkeys(given, "x")
    assert service_environment(service, environment) == environment


def test_every_service_has_its_settings() -> None:
    assert set(SETTINGS) == {*EMBEDDED, GATEWAY, *WORKERS}
    assert set(WITHOUT_PROVIDERS) <= set(SETTINGS)


def test_process_with_the_environment_of_a_worker_starts() -> None:
    environment = service_environment("cad-worker", dict(os.environ) | SERVERS)
    program = "import cad_worker.settings as s; print(s.Settings().nats_url)"
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == SERVERS["NATS_URL"]
