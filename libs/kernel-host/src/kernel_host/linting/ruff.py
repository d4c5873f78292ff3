"""Ruff on one Python file: syntax errors, undefined names and other certain faults, no style.

Each file is a confined process that can read nothing but its standard input and libraries.
"""

import asyncio
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from contracts.models.observation import LintFinding
from pydantic import BaseModel, TypeAdapter
from sandbox.confinement.program import command_for

from kernel_host.linting.star_imports import PREDEFINED_NAMES, ReadModule, replace_known_star_imports

TIMEOUT_S = 5.0
MAX_FINDINGS = 30
MESSAGE_CHARS = 300
_PROGRAM = Path(sysconfig.get_path("scripts")) / "ruff"
_OPTIONS = (
    "--isolated",  # no configuration file, wherever it may be
    "--no-cache",
    "--quiet",
    "--exit-zero",
    "--output-format=json",
    "--select=E9,F",
    "--ignore=F401,F403,F405,F811,F841",  # unused and repeated names, star imports: no faults in an unfinished script
)


@dataclass(frozen=True)
class LintReport:
    """Findings in a file, and a note when it could not be checked."""

    findings: tuple[LintFinding, ...] = ()
    note: str = ""


class _Location(BaseModel):
    row: int
    column: int


class _Diagnostic(BaseModel):
    code: str | None
    message: str
    location: _Location


_DIAGNOSTICS = TypeAdapter(list[_Diagnostic])


async def lint(path: str, text: str, read: ReadModule) -> LintReport:
    """Check the file `path` with this text; `read` returns the text of another Python file of its workspace."""
    stars = await asyncio.to_thread(replace_known_star_imports, text, read)
    names = ", ".join(f'"{name}"' for name in sorted({*stars.names, *PREDEFINED_NAMES}))
    process = await asyncio.create_subprocess_exec(
        *command_for(_PROGRAM, ["check", *_OPTIONS, f"--stdin-filename={path}", f"--config=builtins=[{names}]", "-"]),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={"RAYON_NUM_THREADS": "1"},
        cwd="/",
    )
    try:
        async with asyncio.timeout(TIMEOUT_S):
            output, _ = await process.communicate(stars.code.encode())
    except TimeoutError:
        return LintReport(note=f"ruff took longer than {TIMEOUT_S:g} s")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    found = _DIAGNOSTICS.validate_json(output)[:MAX_FINDINGS]
    return LintReport(tuple(_finding(each) for each in found), stars.note)


def _finding(diagnostic: _Diagnostic) -> LintFinding:
    return LintFinding(
        tool="ruff",
        rule=diagnostic.code or "syntax",
        line=max(1, diagnostic.location.row),
        column=max(1, diagnostic.location.column),
        message=diagnostic.message[:MESSAGE_CHARS],
    )
