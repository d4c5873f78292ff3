"""Free ports on the loopback."""

import contextlib
import os
import random
import socket
from collections.abc import Iterable, Sequence
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


def claim_ports(count: int, preferred: Sequence[int] = ()) -> tuple[socket.socket, ...]:
    """Return `count` sockets, each bound to a free port; the preferred ports if all of them are free.

    While its socket is open, no other claim takes a port, but a server can listen on it: Linux lets a server bind to a
    port beside a socket that does not listen, if both allow it. So a server may start seconds after the choice.
    """
    if len(preferred) == count and all(map(is_free, preferred)):
        return tuple(_bind(port, reuses=True) for port in preferred)
    claims: list[socket.socket] = []
    for port in random.SystemRandom().sample(range(FIRST, LAST), CANDIDATES):
        with contextlib.suppress(OSError):
            if is_free(port):
                claims.append(_bind(port, reuses=False))
        if len(claims) == count:
            return tuple(claims)
    release(claims)
    raise UserError(
        f"no {count} free ports on {LOOPBACK} between {FIRST} and {LAST}; end the programs that hold them, "
        "or set NATS_URL, DATABASE_URL and S3_ENDPOINT to existing servers"
    )


def ports_of(claims: Iterable[socket.socket]) -> tuple[int, ...]:
    """Return the ports of claims."""
    return tuple(claim.getsockname()[1] for claim in claims)


def release(claims: Iterable[socket.socket]) -> None:
    """Give claimed ports back; servers that listen on them are not affected."""
    for claim in claims:
        claim.close()


def free_ports(count: int) -> tuple[int, ...]:
    """Return `count` different free ports, for servers that start at once."""
    claims = claim_ports(count)
    found = ports_of(claims)
    release(claims)
    return found


def _bind(port: int, *, reuses: bool) -> socket.socket:
    """Bind a socket beside which a server can listen; `reuses` allows ports of other claims and of ended servers."""
    claim = socket.socket()
    try:
        claim.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, reuses)
        claim.bind((LOOPBACK, port))
        claim.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, True)
    except OSError:
        claim.close()
        raise
    return claim
