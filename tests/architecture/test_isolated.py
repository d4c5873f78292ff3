import subprocess
from pathlib import Path

import pytest

from tests.support.isolated import ROOT, isolated_python, python_examples, run_isolated


def test_isolated_environment_holds_only_the_library_and_its_dependencies():
    assert run_isolated("import contracts.envelope, pydantic; print('both')", "contracts") == "both\n"
    with pytest.raises(subprocess.CalledProcessError):
        run_isolated("import sandbox", "contracts")
    assert isolated_python("contracts") == isolated_python("contracts")


def test_isolated_library_is_installed_rather_than_linked():
    where = run_isolated("import contracts; print(contracts.__file__)", "contracts")
    assert not where.startswith(str(ROOT / "libs"))


def test_python_examples_are_the_fenced_python_blocks(tmp_path: Path):
    readme = tmp_path / "README.md"
    readme.write_text("# A\n```sh\nls\n```\ntext\n```python\na = 1\n```\n\n```python\nb = 2\n```\n")
    assert python_examples(readme) == ["a = 1\n", "b = 2\n"]
