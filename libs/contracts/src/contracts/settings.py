"""The command as the user typed it, by which next steps name it, and why a server of its settings is not inspected."""

import os
import shutil
import sys
from pathlib import Path
from typing import Literal

PROGRAM = "millwright"


def typed_command(named: str | None, program: str) -> str:
    """Return the command of next steps.

    `named`: what a script that starts the command states, such as `./run`. `program`: as in `sys.argv[0]`; of another
    program, such as a service, the command is named plainly.
    """
    if named:
        return named
    path = Path(program)
    if path.name != PROGRAM:
        return PROGRAM
    found = shutil.which(PROGRAM)
    return PROGRAM if found is not None and Path(found).resolve() == path.resolve() else program


COMMAND = typed_command(os.environ.get("MILLWRIGHT_COMMAND"), sys.argv[0] if sys.argv else "")
"""Such as `./run`, `.venv/bin/millwright` or `millwright`."""


FailureKind = Literal["no_answer", "refused", "unauthorized", "no_jetstream", "no_database", "corrupt", "broken"]


class ServerInspectionError(Exception):
    """A server could not be inspected, or did not return what was stored."""

    def __init__(self, kind: FailureKind, detail: str) -> None:
        super().__init__(detail)
        self.kind: FailureKind = kind
