"""The perception server beside a deployment, in Compose and Kubernetes: with a GPU, reached by one service alone."""

import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from perception_server.settings import Settings

from tests.architecture.repository import ROOT
from tests.deploy.test_images import COMPOSE
from tests.manifests.manifests import Manifest, build_in, prepared
from tests.manifests.test_schemas import require_published_form

FILE: dict[str, Any] = yaml.safe_load((ROOT / "deploy/compose.perception.yaml").read_text("utf-8"))
SERVER, WEIGHTS = (FILE["services"][name] for name in ("perception-server", "perception-weights"))
PORT = Settings.model_fields["perception_server_port"].default


@cache
def built() -> tuple[Manifest, ...]:
    """Return what the component adds to the overlay `dev`."""
    with TemporaryDirectory() as folder:
        deploy = Path(folder)
        for name in ("k8s", "nats"):
            shutil.copytree(Path(prepared()[0].name) / name, deploy / name)
        overlay = deploy / "k8s/overlays/dev/kustomization.yaml"
        text = overlay.read_text().replace("components: [", "components: [../../components/perception, ", 1)
        assert "components/perception" in text
        overlay.write_text(text)
        return tuple(build_in(deploy, "dev"))


def named(kind: str, name: str) -> Manifest:
    (found,) = (each for each in built() if each["kind"] == kind and each["metadata"]["name"] == name)
    return found


def test_component_has_the_published_form() -> None:
    ours = [each for each in built() if "perception" in each["metadata"]["name"]]
    assert len(ours) >= 5
    for each in ours:
        require_published_form(each)


def test_pod_asks_for_a_gpu_and_is_confined() -> None:
    pod = named("Deployment", "perception-server")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["resources"]["limits"]["nvidia.com/gpu"] == container["resources"]["requests"]["nvidia.com/gpu"]
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert container["image"] == "millwright/perception-server:dev"
    assert container["ports"] == [{"name": "http", "containerPort": PORT}]
    assert (pod["securityContext"]["runAsUser"], pod["automountServiceAccountToken"]) == (10001, False)


def test_worker_finds_the_server_and_alone_reaches_it() -> None:
    (address,) = named("ConfigMap", "millwright-gpu")["data"].values()
    service = named("Service", "perception-server")
    assert address == f"http://perception-server:{service['spec']['ports'][0]['port']}"
    labelled = {
        each["metadata"]["name"]
        for each in built()
        if each["kind"] == "Deployment" and "reaches-perception" in each["spec"]["template"]["metadata"]["labels"]
    }
    assert labelled == {"perception-worker"}
    assert named("NetworkPolicy", "perception-accepts")["spec"]["ingress"][0]["ports"] == [{"port": PORT}]


@pytest.mark.parametrize("container", [SERVER, WEIGHTS], ids=["server", "weights"])
def test_container_has_no_rights_and_some_limits(container: dict[str, Any]) -> None:
    assert container["read_only"] is True
    assert container["cap_drop"] == ["ALL"]
    assert container["security_opt"] == ["no-new-privileges:true"]
    assert container["deploy"]["resources"]["limits"].keys() == {"memory", "pids"}
    assert "ports" not in container


def test_pictures_do_not_leave_and_weights_come_by_another_container() -> None:
    assert (SERVER["networks"], FILE["networks"]) == (["perception"], {"perception": {"internal": True}})
    assert WEIGHTS["networks"] == ["outside"]
    assert WEIGHTS["profiles"] == COMPOSE["services"]["cli"]["profiles"]
    assert set(WEIGHTS["command"][4:]) == set(Settings.model_fields["perception_server_models"].default.split(","))


def test_worker_and_agent_have_the_address_of_the_container() -> None:
    address = f"http://perception-server:{PORT}"
    for service in ("perception-worker", "spatial-agent"):
        assert FILE["services"][service]["environment"]["PERCEPTION_GPU_SERVERS"] == address
        assert "PERCEPTION_GPU_SERVERS" in COMPOSE["services"][service]["environment"]
