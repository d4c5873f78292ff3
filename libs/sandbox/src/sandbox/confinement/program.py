"""Programs of ours that read untrusted text, such as a linter: each is confined before its first instruction.

The host executes `command_for` instead of the program. What that starts confines itself and becomes the program, so
that both are one process, which dies with its host.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from sandbox.confinement.confine import become

_START = "import sys; sys.path.append(sys.argv[1]); from sandbox.confinement.program import start; start()"
"""Without the installed packages, whose start alone takes longer than all of this."""


def command_for(program: Path, arguments: Sequence[str]) -> list[str]:
    """Return what to execute instead of the program.

    Execute it from a thread that lives as long as the host does: with that thread the program dies.
    """
    packages = str(Path(__file__).parents[2])
    return [sys.executable, "-I", "-S", "-c", _START, packages, str(os.getpid()), str(program), *arguments]


def start() -> None:
    """Be what `command_for` starts."""
    parent, program, *arguments = sys.argv[2:]
    become(Path(program), arguments, int(parent))
