"""`millwright skills adopt|revert|import`: changes of what roles are offered, made by the skill-learner."""

import io
import os
import stat
import zipfile
from pathlib import Path
from typing import Annotated, Literal
from uuid import uuid4

import typer
from contracts.envelope import EventEnvelope, Role, opening
from contracts.events.skill import SkillChanged, SkillChangeRefused, SkillChangeRequested, TrialOptions
from contracts.settings import COMMAND
from contracts.skills import SkillStatus
from documents.skill_folders.skill_folder import MAX_FILES, MAX_FOLDER_BYTES
from local_stack.errors import UserError
from local_stack.settings import CliSettings, read_settings
from local_stack.stack import Stack, StackOptions, open_stack, run_or_fail
from rich.console import Console
from rich.text import Text
from store.skills.versions import Skills

from cli.commands.skills.stored_skills import Name, Version, find_version
from cli.entry import FAILED, OK, run
from cli.screen import line_printer, output_console

ZIP_TYPE = "application/zip"
SkilledRole = Literal["planner", "engineer", "critic"]
Benchmarks = Annotated[list[str] | None, typer.Option("--benchmark", help="Of the trial's runs; may be repeated.")]


def adopt(
    name: Name,
    version: Annotated[int | None, typer.Option(min=1, help="Default: the newest.")] = None,
    guard: Benchmarks = None,
    model: Annotated[str | None, typer.Option(help="Of the trial's runs.")] = None,
) -> None:
    """Adopt a version without a trial; with --benchmark it is tried afterwards, and taken back if it does harm."""
    settings = read_settings()
    options = None
    if guard:
        options = TrialOptions(benchmarks=tuple(guard), model=model or settings.millwright_model)
    run(_change("adopt", name, version, options, settings, output_console()))


def revert(name: Name, version: Version = None) -> None:
    """Take back the version that is offered: the one adopted before it is offered again."""
    run(_change("revert", name, version, None, read_settings(), output_console()))


def import_(
    folder: Annotated[Path, typer.Argument(help="A folder with SKILL.md.")],
    for_role: Annotated[SkilledRole, typer.Option("--for", help="Role that it is for.")] = "engineer",
) -> None:
    """Import a folder in the public SKILL.md format as a proposed version."""
    data = packed_folder(folder)
    run(_import(data, for_role, read_settings(), output_console()))


def packed_folder(folder: Path) -> bytes:
    """Return a zip of a folder; raise `UserError` for links, other special files, and for too much."""
    if not folder.is_dir() or folder.is_symlink():
        raise UserError(f"{folder} is not a folder: name the one that holds SKILL.md")
    packed, size_bytes, count = io.BytesIO(), 0, 0
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for root, folders, files in os.walk(folder, followlinks=False):
            for name in (*folders, *files):
                path = Path(root) / name
                status = path.lstat()
                if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
                    raise UserError(f"{path} is a link or a special file: a skill has regular files only")
                if not stat.S_ISREG(status.st_mode):
                    continue
                size_bytes, count = size_bytes + status.st_size, count + 1
                if size_bytes > MAX_FOLDER_BYTES or count > MAX_FILES:
                    limits = f"{MAX_FILES} files and {MAX_FOLDER_BYTES >> 10} KB"
                    raise UserError(f"{folder} is too large ({count} files, {size_bytes} bytes): {limits} are allowed")
                archive.write(path, path.relative_to(folder).as_posix())
    return packed.getvalue()


async def _change(  # noqa: PLR0913, PLR0917 - the options of a change
    action: Literal["adopt", "revert"],
    name: str,
    version: int | None,
    guard: TrialOptions | None,
    settings: CliSettings,
    console: Console,
) -> int:
    async with open_stack(StackOptions(settings, joins_single_runs=True, report=line_printer(console))) as stack:
        versions = await Skills(stack.database.engine).versions(name)
        newest = versions[-1].version if versions and action == "adopt" else None
        found = await find_version(stack.database, name, version or newest)
        request = SkillChangeRequested(
            **_opening(),
            action=action,
            name=name,
            for_role=found.for_role,
            version=found.version,
            guard=guard,
        )
        return await run_or_fail(stack.failure, _ask(stack, request, console))


async def _import(data: bytes, for_role: SkilledRole, settings: CliSettings, console: Console) -> int:
    async with open_stack(StackOptions(settings, joins_single_runs=True, report=line_printer(console))) as stack:
        ref = await stack.artifacts.put(data, ZIP_TYPE)
        request = SkillChangeRequested(**_opening(), action="import", for_role=for_role, folder=ref)
        return await run_or_fail(stack.failure, _ask(stack, request, console))


def _opening() -> EventEnvelope:
    return opening(uuid4(), "operations", "skill-learner", "cli")


async def _ask(stack: Stack, request: SkillChangeRequested, console: Console) -> int:
    outcome = await stack.bus.ask(request)
    match outcome:
        case SkillChanged(name=name, version=version, status=status, for_role=role, warnings=warnings):
            console.print(Text(changed_line(name, version, status, role)), soft_wrap=True)
            for warning in warnings:
                console.print(Text(f"without effect: {warning}", style="yellow"), soft_wrap=True)
            return OK
        case SkillChangeRefused(reason=reason, detail=detail):
            console.print(Text(f"refused ({reason}): {detail}", style="red"), soft_wrap=True)
        case _:
            console.print(Text(f"the request was given up: {outcome.type}", style="red"), soft_wrap=True)
    return FAILED


def changed_line(name: str, version: int, status: SkillStatus, role: Role) -> str:
    """Return what a change did, and what follows."""
    follow = f"; next: {COMMAND} skills trial {name} --version {version}" if status == "proposed" else ""
    return f"{name} version {version} of the {role} is {status}{follow}"
