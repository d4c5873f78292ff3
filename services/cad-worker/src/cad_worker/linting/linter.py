"""What a linter is to the file handlers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from contracts.models.observation import LintFinding


@dataclass(frozen=True)
class LintReport:
    """What was found, and why something was not looked at."""

    findings: tuple[LintFinding, ...] = ()
    note: str = ""


class Linter(Protocol):
    """Reads a Python text; never the kernel, nor its workspace."""

    async def check(self, path: str, text: str, modules: Mapping[str, str], /) -> LintReport:
        """Report on `text`, which stands at `path` beside these other modules of the agent's own (text by path)."""
        ...
