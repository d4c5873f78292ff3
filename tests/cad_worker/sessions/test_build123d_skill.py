"""The shipped skill `build123d` matches the installed version of build123d."""

import re
from pathlib import PurePosixPath

import build123d
import pytest
import yaml
from documents.shipped_skills import ALL_SKILLS

from tools.skill_reference import pages
from tools.skill_reference_pages import PAGES

SKILL = ALL_SKILLS["build123d"]
FOLDER = "skills/build123d"
TEXTS = {PurePosixPath(path).relative_to(FOLDER).as_posix(): data.decode() for path, data in SKILL.files.items()}
CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)
WHOLE = "references/script.md"
"""It needs a world, and is judged in one by another test."""
EXAMPLES = [(path, code) for path, text in TEXTS.items() if path != WHOLE for code in CODE.findall(text)]
LARGEST_BYTES = 60_000


@pytest.mark.parametrize(("path", "code"), EXAMPLES, ids=[f"{path} {code.splitlines()[0]}" for path, code in EXAMPLES])
def test_each_example_of_the_skill_runs(path: str, code: str) -> None:
    names: dict[str, object] = {}
    exec("from build123d import *", names)
    exec(compile(code, path, "exec"), names)


def test_references_match_the_installed_version() -> None:
    """If this fails, run `python -m tools.skill_reference`."""
    assert {f"references/{name}": text for name, text in pages().items()}.items() <= TEXTS.items()


def test_every_heading_is_a_name_of_build123d() -> None:
    named = {name for page in PAGES for name in re.findall(r"^## ([\w.]+)$", TEXTS[f"references/{page}"], re.MULTILINE)}
    assert len(named) > 80
    for name in named:
        owner, _, member = name.partition(".")
        assert not member or hasattr(getattr(build123d, owner), member), name
        assert hasattr(build123d, owner), name


def test_skill_is_small_and_describes_when_to_open_it() -> None:
    assert sum(map(len, SKILL.files.values())) < LARGEST_BYTES
    assert "Open it when a call fails" in SKILL.description
    head = yaml.safe_load(TEXTS["SKILL.md"].split("---\n")[1])
    assert head == {"name": "build123d", "description": SKILL.description, "metadata": {"trial": SKILL.trial}}
