"""Railway's configurations, and the file for GPUs, agree with the services. Needs neither."""

import json
from typing import Any

import pytest
import yaml
from agent.settings import ModelSettings

from tests.architecture.repository import ROOT
from tests.deploy.test_images import COMPOSE, OURS, ROLES

GPU: dict[str, Any] = yaml.safe_load((ROOT / "deploy/compose.gpu.yaml").read_text("utf-8"))
RAILWAY = ROOT / "deploy/railway"


@pytest.mark.parametrize("service", OURS)
def test_service_has_a_configuration_for_railway(service: str) -> None:
    """A new service: a copy of deploy/railway/planner.json."""
    given = json.loads((RAILWAY / f"{service}.json").read_text("utf-8"))
    assert (ROOT / given["build"]["dockerfilePath"]).is_file()
    assert given["deploy"]["healthcheckPath"] == "/started"
    grace_s = int(COMPOSE["services"][service]["stop_grace_period"].removesuffix("s"))
    assert given["deploy"]["drainingSeconds"] == grace_s


def test_every_configuration_for_railway_is_of_a_service() -> None:
    assert {file.stem for file in RAILWAY.glob("*.json")} == {*OURS, "migrate"}


def test_roles_and_no_others_get_the_model_server() -> None:
    assert {name for name in GPU["services"] if name != "vllm"} == set(ROLES)
    for role in ROLES:
        text = GPU["services"][role]["environment"]["MODEL_ENDPOINTS"]
        filled = text.replace("${VLLM_MODEL:-Qwen/Qwen3-VL-8B-Instruct}", "NAME").replace(
            "${VLLM_API_KEY:?set it in deploy/.env}", "KEY"
        )
        (endpoint,) = ModelSettings(model_endpoints=json.loads(filled)).model_endpoints["openai:NAME"]
        assert endpoint.base_url == "http://vllm:8000/v1"


def test_model_server_is_on_the_network_of_the_roles_and_not_published() -> None:
    assert GPU["services"]["vllm"]["networks"] == ["outside"]
    assert "ports" not in GPU["services"]["vllm"]
    assert ":latest" not in GPU["services"]["vllm"]["image"]
