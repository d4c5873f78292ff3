"""promtool and prometheus of the machine, which tests of rules and queries need."""

import shutil
import subprocess

import pytest

PACKAGE = "prometheus"
MISSING = f"{{}} is not installed: `apt-get install --no-install-recommends {PACKAGE}` (Debian) has it"


def program(name: str) -> str:
    """Return the path of a program; skip the test, with what to install, where it is missing."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(MISSING.format(name))
    return path


def promtool(*arguments: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run promtool; `given` is its input."""
    return subprocess.run(
        (program("promtool"), *arguments), input=given, capture_output=True, text=True, check=False, timeout=120
    )
