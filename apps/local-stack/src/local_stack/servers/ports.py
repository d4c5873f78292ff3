"""Free ports on the loopback."""

import contextlib
import os
import random
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
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


@dataclass(frozen=True)
class PortClaim:
    """A port that no other stack of this machine chooses until it is released; servers may listen on it meanwhile."""

    port: int
    guard: socket.socket
    """Bound to a name that the port has for all stacks, which ends with the process."""


def claim_ports(count: int, preferred: Sequence[int] = ()) -> tuple[PortClaim, ...]:
    """Return claims of `count` free ports; of the preferred ones if all of them are free.

    A server may start seconds after the choice: Postgres creates its cluster first.
    """
    candidates = random.SystemRandom().sample(range(FIRST, LAST), CANDIDATES)
    for ports in (preferred, candidates) if len(preferred) == count else (candidates,):
        claims = list(islice(filter(None, map(_claim, ports)), count))
        if len(claims) == count:
            return tuple(claims)
        release(claims)
    raise UserError(
        f"no {count} free ports on {LOOPBACK} between {FIRST} and {LAST}; end the programs that hold them, "
        "or set NATS_URL, DATABASE_URL and S3_ENDPOINT to existing servers"
    )


def _claim(port: int) -> PortClaim | None:
    guard = socket.socket(socket.AF_UNIX)
    with contextlib.suppress(OSError):
        guard.bind(f"\0millwright-port-{port}")
        if is_free(port):
            return PortClaim(port, guard)
    guard.close()
    return None


def release(claims: Iterable[PortClaim]) -> None:
    """Give claimed ports back; servers that listen on them are not affected."""
    for claim in claims:
        claim.guard.close()


def free_ports(count: int) -> tuple[int, ...]:
    """Return `count` different free ports, for servers that start at once."""
    claims = claim_ports(count)
    release(claims)
    return tuple(claim.port for claim in claims)
