"""Free ports on the loopback."""

import contextlib
import random
import socket
from collections.abc import Sequence

from local_stack.errors import UserError

LOOPBACK = "127.0.0.1"
FIRST, LAST = 20000, 32000
"""Below the range that Linux gives to outgoing connections, so that nobody takes a port between choice and use."""
ATTEMPTS = 200


def is_free(port: int) -> bool:
    """Tell whether a server could listen there now."""
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
    for port in random.SystemRandom().sample(range(FIRST, LAST), ATTEMPTS):
        if is_free(port):
            found.add(port)
        if len(found) == count:
            return tuple(found)
    raise UserError(
        f"no {count} free ports on {LOOPBACK} between {FIRST} and {LAST}; end what holds them, "
        "or set NATS_URL, DATABASE_URL and S3_ENDPOINT to servers that exist"
    )
