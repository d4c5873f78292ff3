"""Every service has the same anatomy, so that who knows one knows all."""

import ast
import tomllib
from pathlib import Path
from typing import get_args

import pytest
from contracts.envelope import Role
from contracts.publishers import CLIENTS
from contracts.registry import REQUESTS

from tests.architecture.repository import ROOT, packages, services

ROLES: tuple[str, ...] = get_args(Role)
COMMON_ENTRIES = {"__init__.py", "__main__.py", "app.py", "settings.py", "py.typed"}
ROLE_ENTRIES = COMMON_ENTRIES | {"policy.py", "prompts"}
WORKER_ENTRIES = COMMON_ENTRIES | {"handlers.py"}
CLIENT_ENTRIES = COMMON_ENTRIES | {"api.py", "routers"}
SIGNATURE = "make_app(settings: Settings, tracer_provider: TracerProvider | None=None) -> App"

every_service = pytest.mark.parametrize("service", services(), ids=lambda path: path.name)


@every_service
def test_service_has_the_required_files(service: Path):
    assert anatomy_problems(ROOT / service) == []


@every_service
def test_make_app_has_the_required_signature(service: Path):
    assert SIGNATURE in signatures((package_of(ROOT / service) / "app.py").read_text())


@every_service
def test_main_has_no_logic(service: Path):
    assert main_problems((package_of(ROOT / service) / "__main__.py").read_text()) == []


def test_folder_distribution_and_package_names_match():
    for package, folder in packages().items():
        distribution = ROOT / folder.parents[1]
        project = tomllib.loads((distribution / "pyproject.toml").read_text())["project"]
        assert project["name"] == distribution.name
        assert package == distribution.name.replace("-", "_")


def test_every_package_has_an_import_layer():
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    assert set(config["root_packages"]) == set(packages())
    layers = config["contracts"][0]["layers"]
    assert {name.strip() for layer in layers for name in layer.split("|")} == set(packages())


def test_owner_service_mentions_its_requests():
    for request in REQUESTS:
        package = ROOT / "services" / request.owner / "src" / request.owner.replace("-", "_")
        assert any(request.__name__ in path.read_text() for path in package.glob("*.py")), request.__name__


def test_missing_and_unexpected_files_are_found(tmp_path: Path):
    service = tmp_path / "odd-worker"
    package = service / "src" / "odd_worker"
    (package / "stuff").mkdir(parents=True)
    for name in COMMON_ENTRIES:
        (package / name).touch()
    (service / "pyproject.toml").touch()
    (service / "notes.txt").touch()
    (package / "table.csv").touch()
    assert anatomy_problems(service) == [
        "handlers.py is missing",
        "notes.txt does not belong beside src/",
        "stuff/ is neither a package nor prompts",
        "table.csv does not belong at the top",
    ]


def test_role_with_handlers_instead_of_a_policy_is_found(tmp_path: Path):
    package = tmp_path / "critic" / "src" / "critic"
    package.mkdir(parents=True)
    for name in WORKER_ENTRIES:
        (package / name).touch()
    (tmp_path / "critic" / "pyproject.toml").touch()
    assert anatomy_problems(tmp_path / "critic") == ["policy.py is missing", "prompts is missing"]


def test_logic_in_main_is_found():
    text = "from x.app import make_app\nfrom x.settings import Settings\ndef main():\n    make_app(Settings())"
    assert main_problems(text) == ["does not import run", "line 3: belongs elsewhere"]


def package_of(service: Path) -> Path:
    return service / "src" / service.name.replace("-", "_")


def anatomy_problems(service: Path) -> list[str]:
    package = package_of(service)
    if not package.is_dir():
        return [f"there is no {package.name}"]
    special = {**dict.fromkeys(ROLES, ROLE_ENTRIES), **dict.fromkeys(CLIENTS, CLIENT_ENTRIES)}
    required = special.get(service.name, WORKER_ENTRIES)
    missing = sorted(f"{name} is missing" for name in required if not (package / name).exists())
    beside = sorted(set(entries(service)) - {"src", "pyproject.toml"})
    strange = [problem for name in sorted(entries(package)) if (problem := _strangeness(package / name))]
    return [*missing, *(f"{name} does not belong beside src/" for name in beside), *strange]


def entries(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name != "__pycache__"]


def _strangeness(path: Path) -> str:
    if path.is_dir():
        known = path.name == "prompts" or (path / "__init__.py").exists()
        return "" if known else f"{path.name}/ is neither a package nor prompts"
    return "" if path.suffix == ".py" or path.name in COMMON_ENTRIES else f"{path.name} does not belong at the top"


def main_problems(text: str) -> list[str]:
    tree = ast.parse(text)
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    missing = sorted({"run", "make_app", "Settings"} - names)
    logic = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.For, ast.While)
    own = [f"line {node.lineno}: belongs elsewhere" for node in ast.walk(tree) if isinstance(node, logic)]
    return [*(f"does not import {name}" for name in missing), *own]


def signatures(text: str) -> list[str]:
    """Return the signature of each function at the top, as one line."""
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return [f"{one.name}({ast.unparse(one.args)}) -> {ast.unparse(one.returns or ast.Tuple([]))}" for one in functions]
