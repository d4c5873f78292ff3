"""Start a program of a wheel, such as a linter, locked in before its first instruction, and gone with its host.

The host executes `command_for` instead of the program. What that starts confines itself and becomes the program, so
that both are one process. We choose the program, not the texts it reads: whatever they make of it, it can read what it
was granted, write to its workspace, and execute nothing but itself and the loader, under the same rules.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from sandbox.confinement.confine import Confinement, confine

_NOBODY_ELSE = "-"
_START = (
    "import sys; sys.path.append(sys.argv[1]); from sandbox.confinement import sandboxed_exec; sandboxed_exec.start()"
)
"""Without the installed packages, whose start alone takes longer than all of this."""


def command_for(confinement: Confinement, arguments: Sequence[str]) -> list[str]:
    """Return what to execute instead of `confinement.program` with these arguments.

    Execute it from the thread that lives as long as the host does: with that thread the program dies.
    """
    if confinement.program is None or confinement.readable is None:
        raise ValueError("a program to enclose and what it can read must be named")
    user = _NOBODY_ELSE if confinement.user is None else str(confinement.user)
    limits = (confinement.memory_mib, confinement.file_mib, confinement.open_files, confinement.cpu_s)
    return [
        *(sys.executable, "-I", "-S", "-c", _START, str(Path(__file__).parents[2])),
        *(str(os.getpid()), user, *map(str, limits)),
        *(str(confinement.workspace), os.pathsep.join(map(str, confinement.readable))),
        *(str(confinement.program), *arguments),
    ]


def start() -> None:
    """Be what `command_for` starts: lock in, with the workspace as current folder, and become the program."""
    parent, user, memory_mib, file_mib, open_files, cpu_s, workspace, readable, program, *arguments = sys.argv[2:]
    confinement = Confinement(
        Path(workspace),
        memory_mib=int(memory_mib),
        file_mib=int(file_mib),
        open_files=int(open_files),
        cpu_s=int(cpu_s),
        user=None if user == _NOBODY_ELSE else int(user),
        readable=tuple(Path(each) for each in readable.split(os.pathsep)),
        program=Path(program),
    )
    confine(confinement, int(parent))
    os.execv(program, [program, *arguments])  # noqa: S606 - the command is ours
