"""TLS of connections to NATS: our certificates, and a look at the server before a password is sent to it.

nats-py sends the password unencrypted to a server that does not offer TLS, also for a URL of the scheme `tls`; and
after a refusal it tries again for ever.
"""

import asyncio
import json
import ssl
from contextlib import suppress
from urllib.parse import urlsplit

from chassis.errors import BusUnavailableError
from chassis.settings import BusSettings

TLS_SCHEME = "tls"
TLS_REFUSED = (
    "the NATS server at {server} refuses our certificate ({reason}): set NATS_TLS_CERT and NATS_TLS_KEY to one that "
    "its authority has signed and that has not expired"
)
HELLO_S = 5.0
"""How long a server that accepts connections may take to introduce itself."""


def uses_tls(settings: BusSettings) -> bool:
    """Return whether the connection must be encrypted."""
    return urlsplit(settings.nats_url).scheme == TLS_SCHEME


def tls_context(settings: BusSettings) -> ssl.SSLContext | None:
    """Return what a client verifies and shows, None without TLS; raise `BusUnavailableError` for unusable files."""
    if not uses_tls(settings):
        return None
    try:
        context = ssl.create_default_context(cafile=settings.nats_tls_ca)
        if settings.nats_tls_cert is not None:
            context.load_cert_chain(settings.nats_tls_cert, settings.nats_tls_key)
    except OSError as error:  # ssl.SSLError is one
        raise BusUnavailableError(
            f"the files of NATS_TLS_CA, NATS_TLS_CERT or NATS_TLS_KEY cannot be used ({error.strerror or error}): "
            "each must be a readable file in PEM format, and the key that of the certificate"
        ) from error
    return context


async def check_tls(settings: BusSettings, host: str, port: int) -> None:
    """Raise `BusUnavailableError` unless the server's offer of TLS and its certificate are as the settings demand."""
    reader, writer = await asyncio.open_connection(host, port)
    server = f"{host}:{port}"
    try:
        async with asyncio.timeout(HELLO_S):
            hello = await reader.readline()
            if not hello:
                return
            offers = _offers_tls(hello)
            if offers and not uses_tls(settings):
                raise BusUnavailableError(
                    f"the NATS server at {server} accepts encrypted connections only: begin NATS_URL with tls://, and "
                    "set NATS_TLS_CA if its authority is a private one"
                )
            if uses_tls(settings) and not offers:
                raise BusUnavailableError(
                    f"the NATS server at {server} does not offer TLS, so no password was sent: give it a certificate "
                    "(`tls` in its configuration), or begin NATS_URL with nats:// in a network that you trust"
                )
            if offers:
                await _verify(writer, settings, host, server)
    except TimeoutError:
        return  # what answers so slowly is reported by the connection itself
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


async def _verify(writer: asyncio.StreamWriter, settings: BusSettings, host: str, server: str) -> None:
    context = tls_context(settings)
    assert context is not None
    try:
        await writer.start_tls(context, server_hostname=host)
    except ssl.SSLCertVerificationError as error:
        raise BusUnavailableError(
            f"the certificate of the NATS server at {server} is not accepted ({error.verify_message}): renew it, or "
            "set NATS_TLS_CA to the certificate of its authority"
        ) from error
    except ssl.SSLError as error:
        raise BusUnavailableError(TLS_REFUSED.format(server=server, reason=error.reason)) from error


def _offers_tls(hello: bytes) -> bool:
    """Return what the server's first line, `INFO {...}`, says; False for a line that is no such introduction."""
    try:
        info = json.loads(hello.partition(b" ")[2] or b"{}")
    except ValueError:
        return False
    return bool(info.get("tls_required"))


def is_refusal(error: Exception) -> bool:
    """Return whether an error of nats-py is the server's refusal of our certificate, sent after the handshake."""
    return isinstance(error, ssl.SSLError) and "ALERT" in (error.reason or "")
