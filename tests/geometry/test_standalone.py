"""The library works in an environment without the rest of the repository."""

import re
import subprocess

from tests.support.isolated import ROOT, isolated_python


def test_readme_example_runs_with_the_library_alone() -> None:
    readme = (ROOT / "libs" / "geometry" / "README.md").read_text()
    (example,) = re.findall(r"^```python\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)
    command = [isolated_python("geometry"), "-c", example]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert printed == [
        "269 convex pieces, tolerance 0.2 mm",
        "0.0% filled outside, 0.0% empty inside",
        "32.0 g",
    ]
