"""The manifests of deploy/k8s as `kubectl kustomize` builds them, and what their pods contain."""

import base64
import re
import shutil
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
    """A pod of a Deployment, StatefulSet, Job or CronJob; a job's own name has its version besides."""

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
def prepared() -> tuple[TemporaryDirectory[str], str]:
    """Return a copy of deploy/ in which secrets were made, and those: of the example's passwords and a key."""
    folder = TemporaryDirectory()
    deploy = Path(folder.name)
    for name in ("k8s", "nats"):
        shutil.copytree(ROOT / "deploy" / name, deploy / name)
    example = (ROOT / "deploy/.env.example").read_text("utf-8")
    (deploy / ".env.example").write_text(example)
    chosen = example.replace("#OPENAI_API_KEY=", "OPENAI_API_KEY=sk-1").replace(
        "#ALERT_WEBHOOK_URL", "ALERT_WEBHOOK_URL"
    )
    (deploy / ".env").write_text(chosen)
    made = subprocess.run(("sh", deploy / "k8s/make-secrets"), capture_output=True, text=True, check=True)
    return folder, made.stdout


@cache
def build(overlay: str) -> tuple[Manifest, ...]:
    """Return all manifests of an overlay."""
    return tuple(build_in(Path(prepared()[0].name), overlay))


def build_in(deploy: Path, overlay: str) -> list[Manifest]:
    """Return all manifests of an overlay in a copy of deploy/."""
    kubectl = Path(sysconfig.get_path("scripts")) / "kubectl"
    folder = deploy / "k8s/overlays" / overlay
    built = subprocess.run((kubectl, "kustomize", folder), capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return list(yaml.load_all(built.stdout, yaml.CSafeLoader))


@cache
def pods(overlay: str) -> tuple[Pod, ...]:
    """Return a pod for each workload of an overlay."""
    return tuple(_pods(build(overlay)))


def _pods(manifests: Sequence[Manifest]) -> Iterator[Pod]:
    for each in manifests:
        spec = each.get("spec", {})
        template = spec.get("jobTemplate", {}).get("spec", spec).get("template")
        if template is not None:
            labels = template["metadata"]["labels"]
            yield Pod(each["kind"], labels["app.kubernetes.io/name"], labels, template["spec"])


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
    return decoded(prepared()[1])


def decoded(printed: str) -> dict[str, dict[str, str]]:
    """Return the values of secrets by name and key."""
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
