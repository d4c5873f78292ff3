"""The rules on every source, and the proof that each rule can be broken."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.architecture.repository import ROOT, Source, known_files, product_sources, python_files
from tests.architecture.rules import (
    Rule,
    contracts_are_pure,
    environment_is_read_in_settings,
    exceptions_are_named,
    file_is_short,
    library_is_imported_by_its_owner,
    machine_paths,
    measurement_imports_only_test_support,
    name_is_a_noun,
    name_is_specific,
    product_imports_only_product,
)

READABILITY: list[Rule] = [file_is_short, name_is_specific, name_is_a_noun]
RULES: list[Rule] = [
    environment_is_read_in_settings,
    exceptions_are_named,
    library_is_imported_by_its_owner,
    product_imports_only_product,
    contracts_are_pure,
    *READABILITY,
]
MAX_MODULES = 15
"""In one folder, without `__init__.py`, `__main__.py` and `conftest.py`."""
PRODUCT = "libs/agent/src/agent/thinker.py"
BINARY = {
    ".png",
    ".jpg",
    ".gif",
    ".mp4",
    ".glb",
    ".step",
    ".npz",
    ".webp",
    ".ico",
    ".woff2",
    ".gz",
    ".zst",
    ".3mf",
    ".stl",
    ".stpz",
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_product_follows_the_rule(rule: Rule):
    sources = product_sources()
    assert len(sources) > 100
    assert problems(rule, sources) == []


@pytest.mark.parametrize("rule", READABILITY, ids=lambda rule: rule.__name__)
def test_tests_follow_the_rules_for_readers(rule: Rule):
    assert problems(rule, [source for source in python_files() if not source.package]) == []


def test_perf_and_tools_import_only_test_support():
    measuring = [source for source in python_files() if source.path.parts[0] in {"perf", "tools"}]
    assert len(measuring) > 20
    assert problems(measurement_imports_only_test_support, measuring) == []


def test_folders_have_at_most_15_modules():
    folders: dict[Path, int] = {}
    for source in python_files():
        if source.path.stem not in {"__init__", "__main__", "conftest"}:
            folders[source.path.parent] = folders.get(source.path.parent, 0) + 1
    assert {str(folder): count for folder, count in folders.items() if count > MAX_MODULES} == {}


def test_no_file_names_a_path_of_one_machine():
    texts = [path for path in known_files() if path.suffix not in BINARY]
    found = {str(path): machine_paths((ROOT / path).read_text("utf-8")) for path in texts}
    assert {path: lines for path, lines in found.items() if lines} == {}


def problems(rule: Rule, sources: Iterable[Source]) -> list[str]:
    return [f"{source.path}: {problem}" for source in sources for problem in rule(source)]


@pytest.mark.parametrize(
    ("rule", "path", "text"),
    [
        (environment_is_read_in_settings, PRODUCT, "import os\nkey = os.environ['KEY']"),
        (environment_is_read_in_settings, PRODUCT, "import os\ndef f():\n    return os.getenv('KEY')"),
        (environment_is_read_in_settings, PRODUCT, "import os\nos.environ.setdefault('MUJOCO_GL', 'egl')"),
        (environment_is_read_in_settings, PRODUCT, "from os import environ"),
        (environment_is_read_in_settings, PRODUCT, "from pydantic_settings import BaseSettings"),
        (exceptions_are_named, PRODUCT, "try:\n    f()\nexcept Exception:\n    pass"),
        (exceptions_are_named, PRODUCT, "try:\n    f()\nexcept:\n    pass"),
        (exceptions_are_named, PRODUCT, "try:\n    f()\nexcept (X, BaseException) as e:\n    raise Y from e"),
        (file_is_short, PRODUCT, "x = 1\n" * 401),
        (name_is_specific, "libs/agent/src/agent/utils.py", ""),
        (name_is_specific, "libs/agent/src/agent/common/thinker.py", ""),
        (name_is_specific, "tests/helpers/thinker.py", ""),
        (name_is_a_noun, "libs/agent/src/agent/thinking.py", ""),
        (name_is_a_noun, "libs/agent/src/agent/thinking/budget.py", ""),
        (name_is_a_noun, "tests/agent/test_thinking.py", ""),
        (library_is_imported_by_its_owner, PRODUCT, "def f():\n    import faststream.nats"),
        (library_is_imported_by_its_owner, "services/sim-worker/src/sim_worker/x.py", "from build123d import Box"),
        (library_is_imported_by_its_owner, "services/cad-worker/src/cad_worker/x.py", "import mujoco"),
        (product_imports_only_product, PRODUCT, "from tests.chaos.crash_points import CrashPoint"),
        (product_imports_only_product, PRODUCT, "import perf.solving"),
        (measurement_imports_only_test_support, "perf/kernel.py", "import tests.contracts.examples"),
        (contracts_are_pure, "libs/contracts/src/contracts/plan.py", "import numpy"),
        (contracts_are_pure, "libs/contracts/src/contracts/plan.py", "from kernel import cell"),
    ],
)  # fmt: skip
def test_breach_is_found(rule: Rule, path: str, text: str):
    assert len(rule(Source(Path(path), text))) == 1


@pytest.mark.parametrize("path", ["/" + "work/main", "see .." + "/shared/x", "/" + "root/.cache", "/" + "home/me"])
def test_path_of_one_machine_is_found(path: str):
    assert machine_paths(f"fine\nopen('{path}')")[0].startswith("line 2")
