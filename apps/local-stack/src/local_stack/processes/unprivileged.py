"""Whom Postgres runs as, since it refuses to run as root."""

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass

from local_stack.errors import UserError

NAME = "millwright"


@dataclass(frozen=True)
class User:
    """An account of this machine."""

    uid: int
    gid: int


def postgres_user() -> User | None:
    """Return the account that root runs Postgres as, made on first use; None for ordinary users, who are it themselves.

    `nobody` would not do: whatever else runs as nobody could read the database.
    """
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam(NAME)
    except KeyError:
        _make_account()
        entry = pwd.getpwnam(NAME)
    return User(entry.pw_uid, entry.pw_gid)


def _make_account() -> None:
    useradd = shutil.which("useradd", path="/usr/sbin:/sbin:/usr/bin:/bin")
    line = f"useradd --system --no-create-home --shell /usr/sbin/nologin {NAME}"
    if useradd is None:
        raise UserError(f"Postgres cannot run as root and there is no useradd; make the account: {line}")
    made = subprocess.run([useradd, *line.split()[1:]], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise UserError(f"Postgres cannot run as root; `{line}` failed: {made.stderr.strip()}")
