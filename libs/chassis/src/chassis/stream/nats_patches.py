"""Patches of nats-py, which crashes on subjects outside UTF-8 and on malformed headers that the server accepts."""

# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# nats-py has no public hook for this.

import logging

from nats.aio.client import Client
from nats.aio.msg import Msg

_log = logging.getLogger(__name__)


def tolerate_malformed(client: Client) -> Client:
    """Return the client, patched to escape undecodable bytes of a subject and to ignore malformed headers.

    Without the patch the read loop of nats-py ends for good and leaves the connection open: one such message in the
    stream would silence every service that it is delivered to, also after a restart.
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
            _log.warning("malformed headers of a message are ignored: %r", error)
            return None

    client._build_message = build_any  # noqa: SLF001 - as above
    client._process_headers = read_any_headers  # noqa: SLF001 - as above
    return client
