"""make-secrets gives the values that Compose reads in deploy/.env, and refuses what a service would refuse."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.architecture.repository import ROOT
from tests.manifests.manifests import decoded

ENDPOINTS = '[{"name": "mine", "url": "https://models.example.com/v1", "key": "a # b $c"}]'


@pytest.fixture
def deploy(tmp_path: Path) -> Path:
    (tmp_path / "k8s/components/secrets").mkdir(parents=True)
    shutil.copy(ROOT / "deploy/k8s/make-secrets", tmp_path / "k8s/make-secrets")
    for name in (".env.example", ".env"):
        shutil.copy(ROOT / "deploy/.env.example", tmp_path / name)
    return tmp_path


def _made_with(deploy: Path, *lines: str) -> "subprocess.CompletedProcess[str]":
    env = deploy / ".env"
    env.write_text("\n".join([env.read_text("utf-8"), *lines]))
    return subprocess.run(("sh", deploy / "k8s/make-secrets"), capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        (f"MODEL_ENDPOINTS='{ENDPOINTS}'", "MODEL_ENDPOINTS", ENDPOINTS),
        (f"MODEL_ENDPOINTS = '{ENDPOINTS}' # of us", "MODEL_ENDPOINTS", ENDPOINTS),
        ("MODEL_ENDPOINTS=[]", "MODEL_ENDPOINTS", "[]"),
        ('OPENAI_API_KEY="sk-1"', "OPENAI_API_KEY", "sk-1"),
        ("export OPENAI_API_KEY='sk-$1'", "OPENAI_API_KEY", "sk-$1"),
        ("OPENAI_API_KEY=sk-1   # of us", "OPENAI_API_KEY", "sk-1"),
        ("OPENAI_API_KEY=sk#1\r", "OPENAI_API_KEY", "sk#1"),
        ("OPENAI_API_KEY=sk-1\nOPENAI_API_KEY=sk-2", "OPENAI_API_KEY", "sk-2"),
    ],
)
def test_value_is_what_compose_reads(deploy: Path, line: str, name: str, value: str) -> None:
    made = _made_with(deploy, line)
    assert made.returncode == 0, made.stderr
    assert decoded(made.stdout)["millwright-model-keys"] == {name: value}


def test_documented_endpoints_are_json(deploy: Path) -> None:
    made = _made_with(deploy, f"MODEL_ENDPOINTS='{ENDPOINTS}'")
    assert json.loads(decoded(made.stdout)["millwright-model-keys"]["MODEL_ENDPOINTS"])[0]["name"] == "mine"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("MODEL_ENDPOINTS=mine", "MODEL_ENDPOINTS must be a JSON list"),
        ("MODEL_ENDPOINTS='{\"name\": 1}'", "MODEL_ENDPOINTS must be a JSON list"),
        ("MODEL_ENDPOINTS='[", "MODEL_ENDPOINTS has no closing quote"),
        ('OPENAI_API_KEY="sk-1" x', "OPENAI_API_KEY has no closing quote at the end"),
        ("OPENAI_API_KEY=sk$x", "OPENAI_API_KEY has a $"),
        ("OPENAI_API_KEY=sk'1'", "OPENAI_API_KEY has a quote or a blank"),
        ("MILLWRIGHT_CRITIC_PASSWORD=12345678", "MILLWRIGHT_CRITIC_PASSWORD needs 8 or more"),
        ("MILLWRIGHT_CRITIC_PASSWORD=short", "MILLWRIGHT_CRITIC_PASSWORD needs 8 or more"),
        ("MILLWRIGHT_GATEWAY_TOKEN='abcdefghijklmnopqrst\"uvw'", "MILLWRIGHT_GATEWAY_TOKEN needs 24 or more"),
    ],
)
def test_unusable_value_is_refused_by_line_without_the_value(deploy: Path, line: str, problem: str) -> None:
    number = (deploy / ".env").read_text("utf-8").count("\n") + 2
    made = _made_with(deploy, line)
    assert (made.returncode, made.stdout) == (2, "")
    assert f"line {number}: {problem}" in made.stderr
    assert line.partition("=")[2] not in made.stderr


def test_missing_password_is_named_with_its_remedy(deploy: Path) -> None:
    text = (deploy / ".env").read_text("utf-8")
    (deploy / ".env").write_text(text.replace("MILLWRIGHT_CRITIC_PASSWORD=", "#"))
    made = _made_with(deploy)
    assert made.returncode == 2
    assert "lacks MILLWRIGHT_CRITIC_PASSWORD: run deploy/make-env --update" in made.stderr
