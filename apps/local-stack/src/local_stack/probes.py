"""Whether a server answers: one question in its own protocol, without a login, over a connection of its own.

A connection alone proves nothing: the kernel accepts it for a process that hangs.
"""

import http.client
import socket
import struct
from collections.abc import Callable, Mapping
from functools import partial

from local_stack.readiness import address

PATIENCE_S = 1.0
POSTGRES_MAY_I_ENCRYPT = struct.pack("!ii", 8, 80877103)
"""Answered by one letter, before any login."""

Probe = Callable[[], bool]
NAMES = {"NATS_URL": "NATS", "DATABASE_URL": "Postgres", "S3_ENDPOINT": "S3"}


def probes_of(environment: Mapping[str, str], patience_s: float = PATIENCE_S) -> dict[str, Probe]:
    """Return how to ask each server that `environment` names, by the name that people know it by."""
    asking = {"NATS_URL": _nats_answers, "DATABASE_URL": _postgres_answers, "S3_ENDPOINT": _s3_answers}
    return {
        NAMES[variable]: partial(ask, *address(variable, environment[variable]), patience_s)
        for variable, ask in asking.items()
        if variable in environment
    }


def _nats_answers(host: str, port: int, patience_s: float) -> bool:
    return _hears(host, port, patience_s, b"", b"I")  # INFO


def _postgres_answers(host: str, port: int, patience_s: float) -> bool:
    return _hears(host, port, patience_s, POSTGRES_MAY_I_ENCRYPT, b"SN")


def _s3_answers(host: str, port: int, patience_s: float) -> bool:
    """Whatever it answers to a stranger is an answer; a server of https hangs up on plain words, which is one, too."""
    connection = http.client.HTTPConnection(host, port, timeout=patience_s)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status < http.HTTPStatus.INTERNAL_SERVER_ERROR
    except (TimeoutError, ConnectionRefusedError):
        return False
    except http.client.BadStatusLine as error:
        return not isinstance(error, http.client.RemoteDisconnected)
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _hears(host: str, port: int, patience_s: float, question: bytes, answers: bytes) -> bool:
    try:
        with socket.create_connection((host, port), patience_s) as connection:
            connection.sendall(question)
            letter = connection.recv(1)
    except OSError:
        return False
    return letter != b"" and letter in answers
