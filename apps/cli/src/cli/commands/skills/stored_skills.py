"""`millwright skills list|show|diff|export`: what is stored, without any service."""

from pathlib import Path, PurePosixPath
from typing import Annotated

import typer
from contracts.settings import COMMAND
from documents.shipped_skills import ALL_SKILLS, ShippedSkill
from documents.skill_folders.skill_folder import SKILL_FILE, unpack_files
from local_stack.errors import UserError
from local_stack.settings import CliSettings, read_settings
from rich.console import Console
from rich.text import Text
from store.database import Database
from store.skills.trials import SkillTrials
from store.skills.versions import LearnedSkill, Skills

from cli.commands.skills.tables import figures_table, skills_table, trials_table
from cli.entry import OK, run
from cli.log_access import open_database, open_history
from cli.screen import output_console

FILE_WIDTH = 240
Name = Annotated[str, typer.Argument(help="Name of the skill.")]
Version = Annotated[int | None, typer.Option(min=1, help="Default: the one that is offered, or else the newest.")]


def list_() -> None:
    """List the shipped skills and all versions of the learned ones."""
    run(_list(read_settings(), output_console()))


def show(name: Name, version: Version = None) -> None:
    """Show a skill's text, its lineage and its trials."""
    run(_show(name, version, read_settings(), output_console()))


def diff(name: Name, version: Version = None) -> None:
    """Show what a version changes, against the one that it was made from."""
    run(_diff(name, version, read_settings(), output_console()))


def export(
    name: Name,
    version: Version = None,
    out: Annotated[Path, typer.Option(help="The folder that gets the skill's folder.")] = Path("out"),
) -> None:
    """Write a skill as a folder in the public SKILL.md format."""
    run(_export(name, version, out, read_settings(), output_console()))


async def _list(settings: CliSettings, console: Console) -> int:
    async with open_database(settings) as database:
        learned = await Skills(database.engine).versions()
        trials = await SkillTrials(database.engine).of_skill("")
    if not console.is_terminal:
        console.width = FILE_WIDTH
    console.print(skills_table(ALL_SKILLS.values(), learned, trials))
    if trials:
        console.print()
        console.print(trials_table(trials))
    return OK


async def _show(name: str, version: int | None, settings: CliSettings, console: Console) -> int:
    if name in ALL_SKILLS and version is None:
        _show_shipped(ALL_SKILLS[name], console)
        return OK
    async with open_history(settings) as history:
        found = await find_version(history.database, name, version)
        trials = await SkillTrials(history.database.engine).of_skill(name)
        text = (await history.artifacts.get(found.artifact)).decode(errors="replace")
    if not console.is_terminal:
        console.width = FILE_WIDTH
    console.print(Text(_lineage(found)), soft_wrap=True)
    console.print()
    console.print(Text(text), soft_wrap=True)
    own = [trial for trial in trials if trial.request.version == found.version]
    if own:
        console.print(trials_table(own))
    for trial in own:
        if trial.outcome is not None:
            console.print(figures_table(trial.outcome.figures))
    return OK


def _lineage(version: LearnedSkill) -> str:
    title = f"{version.name} version {version.version} of the {version.for_role}: {version.status}"
    if not version.diff:
        return f"{title}; imported as a whole"
    base = "new" if version.base_version is None else f"changes version {version.base_version}"
    return f"{title}; {base}, learned from run {version.learned_from}"


def _show_shipped(skill: ShippedSkill, console: Console) -> None:
    text, *pages = (path for path in sorted(skill.files, key=lambda path: (not path.endswith(SKILL_FILE), path)))
    console.print(Text(skill.files[text].decode()), soft_wrap=True)
    if pages:
        listed = ", ".join(path.removeprefix(f"skills/{skill.name}/") for path in pages)
        console.print(Text(f"pages: {listed}; `{COMMAND} skills export {skill.name}` writes all"), soft_wrap=True)


async def _diff(name: str, version: int | None, settings: CliSettings, console: Console) -> int:
    async with open_database(settings) as database:
        found = await find_version(database, name, version)
    console.print(Text(found.diff or f"the version was imported as a whole: see `{COMMAND} skills show`"))
    return OK


async def _export(name: str, version: int | None, out: Path, settings: CliSettings, console: Console) -> int:
    if name in ALL_SKILLS and version is None:
        files = {path.removeprefix(f"skills/{name}/"): data for path, data in ALL_SKILLS[name].files.items()}
    else:
        async with open_history(settings) as history:
            found = await find_version(history.database, name, version)
            files = {SKILL_FILE: await history.artifacts.get(found.artifact)}
            others = {} if found.files is None else unpack_files(await history.artifacts.get(found.files))
        files |= {path: text.encode() for path, text in others.items()}
    folder = out / name
    for path, data in files.items():
        target = folder / PurePosixPath(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    console.print(Text(f"written: {folder}, {len(files)} files"), soft_wrap=True)
    return OK


async def find_version(database: Database, name: str, version: int | None) -> LearnedSkill:
    """Return a version, by default the one that is offered, or else the newest; raise `UserError`."""
    found = await Skills(database.engine).versions(name)
    if version is not None:
        found = [each for each in found if each.version == version]
    if not name or not found:
        what = "is shipped and has no versions" if name in ALL_SKILLS else "is not learned, or has no such version"
        raise UserError(f"the skill {name!r} {what}: `{COMMAND} skills list` shows all")
    adopted = [each for each in found if each.status == "adopted" and each.adopted_at is not None]
    return max(adopted, key=lambda each: str(each.adopted_at)) if adopted and version is None else found[-1]
