"""A change reaches the pods: of a secret, of a version. The job that migrates is another one after each."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.architecture.repository import ROOT
from tests.manifests.manifests import OVERLAYS, Manifest, build_in

PODS = ("Deployment", "StatefulSet")


@pytest.fixture
def deploy(tmp_path: Path) -> Path:
    """A copy of deploy/ with the example's passwords."""
    for name in ("k8s", "nats"):
        shutil.copytree(ROOT / "deploy" / name, tmp_path / name)
    for name in (".env.example", ".env"):
        shutil.copy(ROOT / "deploy/.env.example", tmp_path / name)
    return tmp_path


def _make_secrets(deploy: Path) -> None:
    subprocess.run(("sh", deploy / "k8s/make-secrets"), stdout=subprocess.DEVNULL, check=True)


def _change_password(deploy: Path) -> None:
    env = deploy / ".env"
    env.write_text(env.read_text("utf-8").replace("change-planner", "another-planner"))
    _make_secrets(deploy)


def _change_version(deploy: Path) -> None:
    for overlay in OVERLAYS:
        file = deploy / f"k8s/overlays/{overlay}/kustomization.yaml"
        text = file.read_text("utf-8")
        file.write_text(text.replace("version=dev", "version=0.2.0-rc1").replace("version=0.1.0", "version=0.2.0-rc1"))


def _templates(manifests: list[Manifest]) -> dict[str, Manifest]:
    return {each["metadata"]["name"]: each["spec"]["template"] for each in manifests if each["kind"] in PODS}


def _job(manifests: list[Manifest]) -> str:
    (name,) = (each["metadata"]["name"] for each in manifests if each["kind"] == "Job")
    return name


@pytest.mark.sample(2)
@pytest.mark.parametrize("overlay", OVERLAYS)
@pytest.mark.parametrize("change", [_change_password, _change_version])
def test_change_replaces_pods_and_job(deploy: Path, overlay: str, change: Callable[[Path], None]) -> None:
    _make_secrets(deploy)
    before = build_in(deploy, overlay)
    assert build_in(deploy, overlay) == before
    change(deploy)
    after = build_in(deploy, overlay)
    assert _job(after) != _job(before)
    same = {name for name, template in _templates(after).items() if template == _templates(before)[name]}
    assert same == (set() if change is _change_password else {"postgres", "minio"} & set(_templates(before)))


def test_job_is_named_by_its_version_and_ends_by_itself(deploy: Path) -> None:
    _make_secrets(deploy)
    _change_version(deploy)
    manifests = build_in(deploy, "prod")
    assert _job(manifests).startswith("migrate-0.2.0-rc1-c")
    (job,) = (each for each in manifests if each["kind"] == "Job")
    assert job["spec"]["ttlSecondsAfterFinished"] > 0
    assert job["spec"]["template"]["spec"]["containers"][0]["image"].endswith("/cli:0.2.0-rc1")


def test_annotations_are_text(deploy: Path) -> None:
    """A number would be refused: annotations are strings."""
    _make_secrets(deploy)
    for template in _templates(build_in(deploy, "dev")).values():
        assert all(isinstance(value, str) for value in template["metadata"]["annotations"].values())
