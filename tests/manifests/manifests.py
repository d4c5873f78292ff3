"""The manifests of deploy/k8s as `kubectl kustomize` builds them, and what their pods contain."""

import base64
import re
import subprocess
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from tests.architecture.repository import ROOT, services

K8S = ROOT / "deploy/k8s"
OVERLAYS = ("dev", "prod")
OURS = [folder.name for folder in services()]
SERVER_ADDRESS = re.compile(r"\$\(([A-Z0-9_]+)\)")
Manifest = dict[str, Any]


@dataclass(frozen=True)
class Pod:
    """A pod of a Deployment, StatefulSet, Job or CronJob."""

    kind: str
    name: str
    labels: Mapping[str, str]
    spec: Manifest

    @property
    def container(self) -> Manifest:
        """Its only container."""
        (container,) = self.spec["containers"]
        return container

    @property
    def all_containers(self) -> list[Manifest]:
        """Those that come first, too."""
        return [*self.spec.get("initContainers", ()), *self.spec["containers"]]

    @property
    def is_ours(self) -> bool:
        """Whether it runs an image that is built here."""
        return self.labels.get("app.kubernetes.io/part-of") == "millwright"


@cache
def build(overlay: str) -> tuple[Manifest, ...]:
    """Return all manifests of an overlay."""
    kubectl = Path(sysconfig.get_path("scripts")) / "kubectl"
    folder = K8S / "overlays" / overlay
    built = subprocess.run((kubectl, "kustomize", folder), capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return tuple(yaml.load_all(built.stdout, yaml.CSafeLoader))


@cache
def pods(overlay: str) -> tuple[Pod, ...]:
    """Return a pod for each workload of an overlay."""
    return tuple(_pods(build(overlay)))


def _pods(manifests: Sequence[Manifest]) -> Iterator[Pod]:
    for each in manifests:
        spec = each.get("spec", {})
        template = spec.get("jobTemplate", {}).get("spec", spec).get("template")
        if template is not None:
            yield Pod(each["kind"], each["metadata"]["name"], template["metadata"]["labels"], template["spec"])


def pod(overlay: str, name: str) -> Pod:
    """Return the pod of a workload."""
    (found,) = (each for each in pods(overlay) if each.name == name)
    return found


def of_kind(overlay: str, kind: str) -> dict[str, Manifest]:
    """Return the manifests of one kind by name."""
    return {each["metadata"]["name"]: each for each in build(overlay) if each["kind"] == kind}


def reaches(each: Pod) -> set[str]:
    """Return what a pod's labels let it reach."""
    return {
        label.removeprefix("reaches-") for label, value in each.labels.items() if label.startswith("reaches-") and value
    }


@cache
def secrets() -> dict[str, dict[str, str]]:
    """Return the secrets that `make-secrets` prints for the example's passwords and a key of a model."""
    example = (ROOT / "deploy/.env.example").read_text("utf-8").replace("#OPENAI_API_KEY=", "OPENAI_API_KEY=sk-1")
    with TemporaryDirectory() as folder:
        script = Path(folder) / "k8s/make-secrets"
        script.parent.mkdir()
        script.write_bytes((K8S / "make-secrets").read_bytes())
        (Path(folder) / ".env").write_text(example)
        printed = subprocess.run(("sh", script), capture_output=True, text=True, check=True).stdout
    found = [each for each in yaml.load_all(printed, yaml.CSafeLoader) if each]
    return {each["metadata"]["name"]: _decoded(each["data"]) for each in found}


def _decoded(data: Mapping[str, str]) -> dict[str, str]:
    return {key: base64.b64decode(value).decode() for key, value in data.items()}


def environment(overlay: str, each: Pod) -> dict[str, str]:
    """Return the variables of a pod's container as the kubelet makes them: in order, each may name those above it."""
    maps = {name: each["data"] for name, each in of_kind(overlay, "ConfigMap").items()}
    found: dict[str, str] = {}
    for source in each.container.get("envFrom", ()):
        reference = source.get("configMapRef") or source["secretRef"]
        found |= maps[reference["name"]] if "configMapRef" in source else secrets()[reference["name"]]
    for variable in each.container.get("env", ()):
        value = _value(variable, each, maps)
        if value is not None:
            found[variable["name"]] = SERVER_ADDRESS.sub(lambda match: found[match.group(1)], value)
    return found


def _value(variable: Manifest, each: Pod, maps: Mapping[str, Mapping[str, str]]) -> str | None:
    if "value" in variable:
        return variable["value"]
    source: Manifest = variable["valueFrom"]
    if "fieldRef" in source:
        (label,) = re.fullmatch(r"metadata\.labels\['(.+)'\]", source["fieldRef"]["fieldPath"]).groups()  # pyright: ignore[reportOptionalMemberAccess] - the one form used here
        return each.labels[label]
    if "secretKeyRef" in source:
        reference = source["secretKeyRef"]
        found = secrets().get(reference["name"], {}).get(reference["key"])
        assert found is not None or reference.get("optional"), reference
        return found
    reference = source["configMapKeyRef"]
    if reference.get("optional"):
        return maps.get(reference["name"], {}).get(reference["key"])
    return maps[reference["name"]][reference["key"]]
