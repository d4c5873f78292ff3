"""Free ports on the loopback."""

import contextlib
import os
import random
import socket
from collections.abc import Sequence
from pathlib import Path

from local_stack.errors import UserError

LOOPBACK = "127.0.0.1"
FIRST, LAST = 20000, 32000
"""Below the range of Linux's outgoing connections, so that none takes a port between its choice and its use."""
CANDIDATES = 200
LISTEN = "0A"
"""The state of a listening socket in the kernel's table."""
COMMAND_CHARS = 80
PARTS = ("s3", "master", "volume", "filer")
"""Of SeaweedFS, each with a socket in /tmp under a name that it does not let anyone choose."""


def is_free(port: int) -> bool:
    """Return whether a server could listen on this port now."""
    if any(_is_of_another_user(seaweedfs_socket(part, port)) for part in PARTS):
        return False
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError):
            probe.bind((LOOPBACK, port))
            return True
    return False


def seaweedfs_socket(part: str, port: int) -> Path:
    """Return the file of a SeaweedFS socket; it stays behind when the server is killed."""
    return Path(f"/tmp/seaweedfs-{part}-grpc-{port}.sock")  # noqa: S108 - its choice


def _is_of_another_user(socket_file: Path) -> bool:
    """Tell whether a file is there that this user may not replace."""
    try:
        return socket_file.lstat().st_uid != os.geteuid()
    except FileNotFoundError:
        return False


def owner_of(port: int) -> str:
    """Return which process listens on this port, as far as this user may see it."""
    inodes = _listening(port)
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if any(str(each.readlink()) in inodes for each in (folder / "fd").iterdir()):
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
                return f"process {folder.name} ({command[:COMMAND_CHARS]})"
    return "a process of another user"


def _listening(port: int) -> set[str]:
    """Return the sockets that listen on this port, as the links in /proc name them."""
    found: set[str] = set()
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            rows = [line.split() for line in Path("/proc/net", table).read_text().splitlines()[1:]]
            found |= {f"socket:[{row[9]}]" for row in rows if row[3] == LISTEN and row[1].endswith(f":{port:04X}")}
    return found


def require_free(variable: str, *ports: int) -> None:
    """Raise `UserError` if one of the ports that a variable sets is taken."""
    for port in ports:
        if port and not is_free(port):
            raise UserError(f"port {port} of {variable} is taken by {owner_of(port)}: end it, or choose another port")


def free_ports(count: int, preferred: Sequence[int] = ()) -> tuple[int, ...]:
    """Return `count` different free ports; the preferred ones if all of them are free."""
    if len(preferred) == count and all(map(is_free, preferred)):
        return tuple(preferred)
    found: set[int] = set()
    for port in random.SystemRandom().sample(range(FIRST, LAST), CANDIDATES):
        if is_free(port):
            found.add(port)
        if len(found) == count:
            return tuple(found)
    raise UserError(
        f"no {count} free ports on {LOOPBACK} between {FIRST} and {LAST}; end the programs that hold them, "
        "or set NATS_URL, DATABASE_URL and S3_ENDPOINT to existing servers"
    )
