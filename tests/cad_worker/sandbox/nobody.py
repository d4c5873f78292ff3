"""Running something as an ordinary user although the tests run as root."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

NOBODY = 65534


def as_nobody(command: Sequence[str], needed: Sequence[Path]) -> list[str]:
    """Return the command that runs `command` as nobody.

    What is `needed` (the interpreter, the checkout) may lie in a home that nobody may enter; in a mount namespace of
    its own, which ends with the command, such a home shows nothing but these folders.
    """
    steps = ["set -e", "mount --make-rprivate /"]
    closed = {home for path in needed if (home := _closed_above(path)) is not None}
    for home in closed:
        inside = [path.resolve() for path in needed if path.resolve().is_relative_to(home)]
        for number, path in enumerate(inside):
            hold = f"/mnt/{number}"
            steps += ["mount -t tmpfs none /mnt"] if number == 0 else []
            steps += [f"mkdir -p {hold}", f"mount --bind {shlex.quote(str(path))} {hold}"]
        steps += [f"mount -t tmpfs -o mode=755 none {shlex.quote(str(home))}"]
        for number, path in enumerate(inside):
            steps += [f"mkdir -p {shlex.quote(str(path))}", f"mount --bind /mnt/{number} {shlex.quote(str(path))}"]
    drop = f"exec setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups --inh-caps=-all"
    steps += [f"cd {shlex.quote(str(Path.cwd()))}", f'{drop} "$@"']
    return ["unshare", "--mount", "sh", "-c", "\n".join(steps), "sh", *command]


def interpreter_folders() -> list[Path]:
    """Return where this Python lies."""
    return [Path(sys.base_prefix), Path(sys.prefix)]


def _closed_above(path: Path) -> Path | None:
    """Return the outermost folder above that others may not enter."""
    return next((each for each in reversed(path.resolve().parents) if not each.stat().st_mode & 0o001), None)
