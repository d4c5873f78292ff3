"""Ruff, one short process per text: syntax, undefined names, and what is surely wrong. No style."""

import asyncio
import sysconfig
from collections.abc import Mapping
from pathlib import Path

from contracts.models.observation import LintFinding
from pydantic import BaseModel, TypeAdapter

from cad_worker.linting.linter import LintReport
from cad_worker.linting.star_imports import GIVEN_NAMES, without_known_stars

BUDGET_S = 5.0
MAX_FINDINGS = 30
MESSAGE_CHARS = 300
_RULES = "E9,F"
_NO_FAULTS = "F401,F403,F405,F811,F841"
"""Unused and repeated names, and star imports: neither is wrong in a script that is being written."""


class _Location(BaseModel):
    row: int
    column: int


class _Diagnostic(BaseModel):
    code: str | None
    message: str
    location: _Location


_DIAGNOSTICS = TypeAdapter(list[_Diagnostic])


class Ruff:
    """Calls the program of the wheel, with no configuration of anybody's and no file but its standard input."""

    def __init__(self) -> None:
        """Look where the wheel has put the program."""
        self._program = Path(sysconfig.get_path("scripts")) / "ruff"

    async def check(self, path: str, text: str, modules: Mapping[str, str]) -> LintReport:
        """Report on a text."""
        plain, brought = without_known_stars(text, modules)
        builtins = ", ".join(f'"{name}"' for name in sorted({*brought, *GIVEN_NAMES}))
        command = [
            "check",
            "--isolated",
            "--no-cache",
            f"--stdin-filename={path}",
            "--quiet",
            "--exit-zero",
            "--output-format=json",
        ]
        command += [f"--select={_RULES}", f"--ignore={_NO_FAULTS}", f"--config=builtins=[{builtins}]", "-"]
        process = await asyncio.create_subprocess_exec(
            self._program,
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={},
            cwd="/",
        )
        try:
            async with asyncio.timeout(BUDGET_S):
                said, _ = await process.communicate(plain.encode())
        except TimeoutError:
            return LintReport(note=f"ruff took longer than {BUDGET_S:g} s")
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return LintReport(tuple(_finding(each) for each in _DIAGNOSTICS.validate_json(said)[:MAX_FINDINGS]))


def _finding(said: _Diagnostic) -> LintFinding:
    return LintFinding(
        tool="ruff",
        rule=said.code or "syntax",
        line=max(1, said.location.row),
        column=max(1, said.location.column),
        message=said.message[:MESSAGE_CHARS],
    )
