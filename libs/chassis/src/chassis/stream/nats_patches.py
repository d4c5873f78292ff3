"""Subjects that are no UTF-8 and headers that are none: the server takes them, nats-py dies of them."""

# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# nats-py has no other place to stand in.

import logging

from nats.aio.client import Client
from nats.aio.msg import Msg

_log = logging.getLogger(__name__)


def tolerate_malformed(client: Client) -> Client:
    """Return the client, made to spell out what it cannot decode of a subject, and to pass over unreadable headers.

    nats-py's loop of reading would end with an error, for good and with the connection left open: one such message in
    the stream would silence every service that it is delivered to, and the next process, too.
    """
    build, read_headers = client._build_message, client._process_headers  # noqa: SLF001 - as above

    def build_any(sid: int, subject: bytes, reply: bytes, data: bytes, headers: dict[str, str] | None) -> Msg:
        try:
            return build(sid, subject, reply, data, headers)
        except UnicodeDecodeError:
            return build(sid, subject.decode(errors="backslashreplace").encode(), reply, data, headers)

    async def read_any_headers(headers: bytes) -> dict[str, str] | None:
        try:
            return await read_headers(headers)
        except (IndexError, ValueError) as error:
            _log.warning("the headers of a message cannot be read and are passed over: %r", error)
            return None

    client._build_message = build_any  # noqa: SLF001 - as above
    client._process_headers = read_any_headers  # noqa: SLF001 - as above
    return client
