"""The README's example."""

import subprocess
import sys

from tests.support.readme import ROOT


def test_readme_example_runs() -> None:
    # in a process of its own, as a kernel replaces `__main__` and adds an import hook
    command = "from tests.support.readme import run_examples; assert run_examples('libs/kernel') == 1"
    subprocess.run([sys.executable, "-c", command], cwd=ROOT, check=True, timeout=60)
