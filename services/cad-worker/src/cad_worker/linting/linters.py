"""Both linters at once: ruff always, pyright as far as it is in time."""

import asyncio
from collections.abc import Mapping

from cad_worker.linting.linter import LintReport
from cad_worker.linting.pyright import Pyright
from cad_worker.linting.ruff import Ruff


class Linters:
    """Asks both, and tells what both have found once. A resource of the app."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._ruff = Ruff()
        self._pyright = Pyright()

    async def start(self) -> None:
        """Get ready."""
        await self._pyright.start()

    async def stop(self) -> None:
        """Leave nothing behind."""
        await self._pyright.stop()

    @property
    def server_pid(self) -> int | None:
        """Return the process of the language server, if one is up."""
        return self._pyright.server_pid

    async def check(self, path: str, text: str, modules: Mapping[str, str]) -> LintReport:
        """Report on a text, by line and column."""
        ruff, pyright = await asyncio.gather(
            self._ruff.check(path, text, modules), self._pyright.check(path, text, modules)
        )
        told = {(each.line, each.column) for each in ruff.findings}
        broken_lines = {each.line for each in ruff.findings if each.rule == "invalid-syntax"}
        more = [
            each for each in pyright.findings if (each.line, each.column) not in told and each.line not in broken_lines
        ]
        findings = sorted((*ruff.findings, *more), key=lambda each: (each.line, each.column))
        return LintReport(tuple(findings), "; ".join(note for note in (ruff.note, pyright.note) if note))
