"""Subjects that are no UTF-8: the server takes them, nats-py dies of them."""

# pyright: reportPrivateUsage=false
# nats-py has no other place to stand in.

from nats.aio.client import Client
from nats.aio.msg import Msg


def forgiving(client: Client) -> Client:
    """Return the client, made to spell out what it cannot decode of a subject.

    nats-py's loop of reading would end with an error, for good and with the connection left open: one such message in
    the stream would silence every service that it is delivered to, and the next process, too.
    """
    build = client._build_message  # noqa: SLF001 - as above

    def build_any(sid: int, subject: bytes, reply: bytes, data: bytes, headers: dict[str, str] | None) -> Msg:
        try:
            return build(sid, subject, reply, data, headers)
        except UnicodeDecodeError:
            return build(sid, subject.decode(errors="backslashreplace").encode(), reply, data, headers)

    client._build_message = build_any  # noqa: SLF001 - as above
    return client
