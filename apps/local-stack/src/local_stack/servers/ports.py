"""Free ports on the loopback."""

import contextlib
import random
import socket
from collections.abc import Sequence

from local_stack.errors import UserError

LOOPBACK = "127.0.0.1"
FIRST, LAST = 20000, 32000
"""Below the range of Linux's outgoing connections, so that none takes a port between its choice and its use."""
CANDIDATES = 200


def is_free(port: int) -> bool:
    """Return whether a server could listen on this port now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError):
            probe.bind((LOOPBACK, port))
            return True
    return False


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
