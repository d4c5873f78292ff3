"""Calls to the server that are repeated until it answers."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from nats import errors
from nats.js.errors import APIError, NoStreamResponseError, ServerError, ServiceUnavailableError

T = TypeVar("T")

FIRST_PAUSE_S = 0.05
LAST_PAUSE_S = 2.0

STREAM_NOT_FOUND = 10059
"""JetStream's error code. Right after a restart it may be on its way; if it was lost, the watch declares it anew."""

CONSUMER_NOT_CREATED = 10012
"""Said with the code of a failing server, but it is what was asked for that does not fit."""

_PASSING = (
    errors.TimeoutError,
    errors.NoRespondersError,
    NoStreamResponseError,
    errors.OutboundBufferLimitError,
    errors.ConnectionReconnectingError,
    errors.StaleConnectionError,
    ServiceUnavailableError,
    ServerError,
)

_log = logging.getLogger(__name__)


def is_transient(error: Exception) -> bool:
    """Tell whether the same call may succeed later."""
    code = error.err_code if isinstance(error, APIError) else None
    return code != CONSUMER_NOT_CREATED and (isinstance(error, _PASSING) or code == STREAM_NOT_FOUND)


async def retry(call: Callable[[], Awaitable[T]], what: str) -> T:
    """Repeat `call` until the server has answered it, well or with a lasting error. The log calls it `what`."""
    pause_s = FIRST_PAUSE_S
    while True:
        try:
            return await call()
        except Exception as error:
            if not is_transient(error):
                raise
            _log.warning("%s: no answer from the server (%r), trying again", what, error)
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, LAST_PAUSE_S)
