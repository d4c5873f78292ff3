"""Shipped skills fit the public format, name their pages and figures, and have the roles that can read them."""

import re
from pathlib import PurePosixPath
from typing import get_args

import pytest
from contracts import criteria
from contracts.envelope import Role
from contracts.events.design import DesignValidated
from contracts.events.run import EnvironmentRefused, WorldRefused
from contracts.models.design import BuiltInWorkbenchRule
from documents.shipped_skills import ALL_SKILLS, ROLES_OF_SKILLS, shipped_files, skill_lines, skills_of
from documents.skill_folders.skill_folder import SkillFolder, read_folder

from tools.skill_tables import pages

SMALL_BYTES = 9_000
"""Of a SKILL.md, which a role reads as a whole: the planner is shown 12,000 characters of a file."""
READERS = {"planner", "engineer", "critic", "benchmark-generator", "skill-learner"}


def folder_of(name: str) -> SkillFolder:
    start = f"skills/{name}/"
    return read_folder({path.removeprefix(start): data.decode() for path, data in ALL_SKILLS[name].files.items()})


@pytest.mark.parametrize("name", ALL_SKILLS)
def test_shipped_skill_fits_the_format_without_warnings(name: str) -> None:
    folder = folder_of(name)
    assert (folder.name, folder.description, folder.warnings) == (name, ALL_SKILLS[name].description, ())
    assert "\n## When to use\n" in folder.skill_md
    assert len(folder.skill_md.encode()) < SMALL_BYTES


@pytest.mark.parametrize("name", ALL_SKILLS)
def test_shipped_skill_names_exactly_its_pages(name: str) -> None:
    folder = folder_of(name)
    assert set(re.findall(r"`(references/[\w-]+\.md)`", folder.skill_md)) == set(folder.files)


@pytest.mark.parametrize("name", ALL_SKILLS)
def test_shipped_skill_states_its_trial_or_that_it_has_no_figure(name: str) -> None:
    trial = ALL_SKILLS[name].trial
    assert trial.startswith("No figure.") or re.search(r"\d of \d+ pairs", trial)


def test_tables_agree_with_the_code() -> None:
    """If this fails, run `python -m tools.skill_tables`."""
    written = {path: data.decode() for skill in ALL_SKILLS.values() for path, data in skill.files.items()}
    assert {f"skills/{path}": text for path, text in pages().items()}.items() <= written.items()


def test_tables_have_every_rule_of_the_workbenches() -> None:
    text = "".join(folder_of("workbenches").files.values())
    assert set(re.findall(r"\| ((?:cnc|print|mould|turn|sheet)_\w+) \|", text)) == set(get_args(BuiltInWorkbenchRule))


def test_figures_of_the_verdict_in_skills_are_those_of_the_code() -> None:
    evidence, review = folder_of("simulation-evidence").skill_md, folder_of("reviewing").skill_md
    replicas = DesignValidated.model_fields["replicas"].default
    assert f"The verdict runs {replicas} replicas" in evidence
    assert f"below {criteria.JITTER_START_MM + criteria.START_RESERVE_MM:g} mm: jittered starts" in review
    assert f"longer than {criteria.NEAR_STALL_LIMIT_S:g} s" in review


def test_reasons_of_refused_worlds_in_skills_are_those_of_the_code() -> None:
    text = folder_of("benchmark-authoring").skill_md
    for event in (EnvironmentRefused, WorldRefused):
        reasons = set(get_args(event.model_fields["reason"].annotation))
        named = set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) & reasons
        rare = {"scene_invalid", "model_does_not_compile"}
        assert named == reasons - rare


def test_each_role_reads_its_own_skills() -> None:
    assert {role for roles in ROLES_OF_SKILLS.values() for role in roles} == READERS
    assert set(skills_of("critic")) == {"build123d", "mechanisms", "reviewing", "simulation-evidence", "workbenches"}
    for role in get_args(Role):
        assert {PurePosixPath(path).parts[1] for path in shipped_files(role)} == set(skills_of(role))
        assert len(skill_lines(role, ()).splitlines()) == len(skills_of(role))
