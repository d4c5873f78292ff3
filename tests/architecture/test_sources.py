"""The house rules on every source, and the proof that each rule can be broken."""

from pathlib import Path

import pytest

from tests.architecture.repository import ROOT, Source, known_files, product_sources, python_files
from tests.architecture.rules import (
    FOREIGN_CODE_RUNS_IN,
    Rule,
    catches_what_it_names,
    imports_no_measurements,
    imports_no_tests,
    imports_only_shared_tests,
    is_pure_language,
    is_short,
    leaves_libraries_to_their_owners,
    names_no_foreign_place,
    reads_no_environment,
    says_what_it_is,
)

RULES: list[Rule] = [
    reads_no_environment,
    catches_what_it_names,
    is_short,
    says_what_it_is,
    leaves_libraries_to_their_owners,
    imports_no_measurements,
    imports_no_tests,
    is_pure_language,
]
PRODUCT = "libs/agent/src/agent/thinking.py"
BINARY = {".png", ".jpg", ".gif", ".mp4", ".glb", ".step", ".npz", ".webp", ".ico", ".woff2"}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_product_follows_the_rule(rule: Rule):
    sources = product_sources()
    assert len(sources) > 100
    assert problems(rule, sources) == []


@pytest.mark.parametrize("rule", [is_short, says_what_it_is], ids=lambda rule: rule.__name__)
def test_tests_follow_the_rules_for_readers(rule: Rule):
    assert problems(rule, [source for source in python_files() if not source.package]) == []


def test_perf_imports_only_test_support():
    measuring = [source for source in python_files() if source.path.parts[0] == "perf"]
    assert len(measuring) > 20
    assert problems(imports_only_shared_tests, measuring) == []


def test_no_file_names_a_path_of_one_machine():
    texts = [path for path in known_files() if path.suffix not in BINARY]
    found = {str(path): names_no_foreign_place((ROOT / path).read_text("utf-8")) for path in texts}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_exempted_files_exist():
    assert [path for path in FOREIGN_CODE_RUNS_IN if not (ROOT / path).exists()] == []


def problems(rule: Rule, sources: list[Source]) -> list[str]:
    return [f"{source.path}: {problem}" for source in sources for problem in rule(source)]


@pytest.mark.parametrize(
    ("rule", "path", "text"),
    [
        (reads_no_environment, PRODUCT, "import os\nkey = os.environ['KEY']"),
        (reads_no_environment, PRODUCT, "import os\ndef f():\n    return os.getenv('KEY')"),
        (reads_no_environment, PRODUCT, "import os\nos.environ.setdefault('MUJOCO_GL', 'egl')"),
        (reads_no_environment, PRODUCT, "from os import environ"),
        (reads_no_environment, PRODUCT, "from pydantic_settings import BaseSettings"),
        (catches_what_it_names, PRODUCT, "try:\n    f()\nexcept Exception:\n    pass"),
        (catches_what_it_names, PRODUCT, "try:\n    f()\nexcept:\n    pass"),
        (catches_what_it_names, PRODUCT, "try:\n    f()\nexcept (X, BaseException) as e:\n    raise Y from e"),
        (is_short, PRODUCT, "x = 1\n" * 301),
        (says_what_it_is, "libs/agent/src/agent/utils.py", ""),
        (says_what_it_is, "libs/agent/src/agent/common/thinking.py", ""),
        (says_what_it_is, "tests/helpers/thinking.py", ""),
        (leaves_libraries_to_their_owners, PRODUCT, "def f():\n    import faststream.nats"),
        (leaves_libraries_to_their_owners, "services/sim-worker/src/sim_worker/x.py", "from build123d import Box"),
        (leaves_libraries_to_their_owners, "services/cad-worker/src/cad_worker/x.py", "import mujoco"),
        (imports_no_measurements, PRODUCT, "from perf.messaging.sample import payload"),
        (imports_no_measurements, PRODUCT, "import tools.skill_reference"),
        (imports_only_shared_tests, "perf/kernel.py", "import tests.contracts.examples"),
        (imports_no_tests, PRODUCT, "def f():\n    from tests.fakes import failing_model"),
        (is_pure_language, "libs/contracts/src/contracts/plan.py", "import numpy"),
        (is_pure_language, "libs/contracts/src/contracts/plan.py", "from kernel import cell"),
    ],
)  # fmt: skip
def test_breach_is_found(rule: Rule, path: str, text: str):
    assert len(rule(Source(Path(path), text))) == 1


@pytest.mark.parametrize(
    ("rule", "path", "text"),
    [
        (reads_no_environment, "libs/store/src/store/settings.py", "import os\nos.environ"),
        (reads_no_environment, PRODUCT, "import subprocess\nsubprocess.run(['x'], env={'MUJOCO_GL': 'egl'})"),
        (catches_what_it_names, "libs/chassis/src/chassis/x.py", "try:\n    f()\nexcept Exception:\n    pass"),
        (catches_what_it_names, PRODUCT, "try:\n    f()\nexcept BaseException:\n    stop()\n    raise"),
        (catches_what_it_names, PRODUCT, "try:\n    f()\nexcept ValueError:\n    pass"),
        (is_short, PRODUCT, "x = 1\n" * 300),
        (says_what_it_is, "libs/kernel/src/kernel/baked/utils/__init__.py", ""),
        (leaves_libraries_to_their_owners, "services/cad-worker/src/cad_worker/x.py", "from build123d import Box"),
        (imports_only_shared_tests, "perf/kernel.py", "from tests.support.kernel_world import run"),
        (is_pure_language, "libs/contracts/src/contracts/plan.py", "import uuid\nfrom contracts.model import Model"),
    ],
)  # fmt: skip
def test_allowed_source_passes(rule: Rule, path: str, text: str):
    assert rule(Source(Path(path), text)) == []


@pytest.mark.parametrize("place", ["/" + "work/main", "see .." + "/shared/x", "/" + "root/.cache", "/" + "home/me"])
def test_path_of_one_machine_is_found(place: str):
    assert names_no_foreign_place(f"fine\nopen('{place}')")[0].startswith("line 2")


@pytest.mark.parametrize("text", ["planning/work-list", "/" + "workspace/script.py", "the /" + "works", "shared/x"])
def test_other_path_passes(text: str):
    assert names_no_foreign_place(text) == []
