"""Commands run as an ordinary user, although the tests run as root."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

ORDINARY_UID = 65534


def as_ordinary_user(command: Sequence[str], needed: Sequence[Path]) -> list[str]:
    """Return a command that runs `command` as an ordinary user.

    The `needed` folders (interpreter, checkout) may be below a folder that others cannot enter, such as a home. In a
    mount namespace, which ends with the command, such a folder contains only them and is open to all.
    """
    steps = ["set -e", "mount --make-rprivate /"]
    closed = {folder for path in needed if (folder := _closed_parent(path)) is not None}
    for folder in closed:
        inside = [path.resolve() for path in needed if path.resolve().is_relative_to(folder)]
        for number, path in enumerate(inside):
            hold = f"/mnt/{number}"
            steps += ["mount -t tmpfs none /mnt"] if number == 0 else []
            steps += [f"mkdir -p {hold}", f"mount --bind {shlex.quote(str(path))} {hold}"]
        steps += [f"mount -t tmpfs -o mode=755 none {shlex.quote(str(folder))}"]
        for number, path in enumerate(inside):
            steps += [f"mkdir -p {shlex.quote(str(path))}", f"mount --bind /mnt/{number} {shlex.quote(str(path))}"]
    drop = f"exec setpriv --reuid={ORDINARY_UID} --regid={ORDINARY_UID} --clear-groups --inh-caps=-all"
    steps += [f"cd {shlex.quote(str(Path.cwd()))}", f'{drop} "$@"']
    return ["unshare", "--mount", "sh", "-c", "\n".join(steps), "sh", *command]


def interpreter_folders() -> list[Path]:
    """Return the folders of this Python."""
    return [Path(sys.base_prefix), Path(sys.prefix)]


def _closed_parent(path: Path) -> Path | None:
    """Return the outermost parent that others cannot enter."""
    return next((each for each in reversed(path.resolve().parents) if not each.stat().st_mode & 0o001), None)
