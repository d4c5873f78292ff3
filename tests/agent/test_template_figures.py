"""Templates of prompts take their figures from the code that decides them."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

TEMPLATES = [
    path
    for package in ("critic", "engineer", "planner")
    for path in sorted(Path(str(files(package) / "prompts")).glob("*.j2"))
]
ADVICE = {"advice.md.j2", "example.md.j2", "form.md.j2"}
"""Advice is not a limit, a test runs the script, and the form shows an example of a plan."""
FIGURE = re.compile(r"(?<![\w.{])\d+(?:\.\d+)?(?![\w.]*\}\})")
PLAIN = {"0", "2", "9.81", "180", "8", "6000"}
"""Counts of a list, the constants of physics, and the moment of a rectangle over its force."""
NO_LIMITS = re.compile(
    r"`[^`]*`|\{%.*?%\}|\{\{.*?\}\}|^\d+\. |^It solved .*$|^- .* leave the channel .*$|A ball rolls .*$", re.MULTILINE
)
"""Code, values that are filled in, numbers of lists, examples and advice."""


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: f"{path.parts[-3]}-{path.name}")
def test_templates_have_no_figures_of_their_own(path: Path) -> None:
    if path.name in ADVICE:
        return
    text = re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)
    assert set(FIGURE.findall(NO_LIMITS.sub("", text))) <= PLAIN, "take the figure from the code that decides it"
