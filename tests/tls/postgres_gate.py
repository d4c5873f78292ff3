"""TLS in front of a real Postgres: the wheel's own is built without it.

It speaks what Postgres speaks before a session: SSLRequest, the handshake, and the refusals of a server whose
pg_hba.conf has only `hostssl ... clientcert=verify-ca`. After that it passes all bytes on.
"""

import asyncio
import ssl
import struct
from asyncio import StreamReader, StreamWriter
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from chassis.background_tasks import LoopThread

from tests.support.certificates.authority import KeyPair

SSL_REQUEST, GSS_REQUEST = 80877103, 80877104
"""Codes of requests that come before a session; see "Message Formats" in Postgres's manual."""


class PostgresGate:
    """Listens on a port of its own."""

    def __init__(self, database_url: str, server: KeyPair, authority: Path) -> None:
        self._url = urlsplit(database_url)
        self._context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=authority)
        self._context.load_cert_chain(server.certificate, server.key)
        self._context.verify_mode = ssl.CERT_OPTIONAL
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """The database's URL through this gate."""
        assert self._server is not None
        port = self._server.sockets[0].getsockname()[1]
        return self._url._replace(netloc=f"{self._url.netloc.rpartition(':')[0]}:{port}").geturl()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            refusal = await self._secure(reader, writer)
            if refusal is None:
                await self._pass_on(reader, writer)
            else:
                writer.write(_error(refusal))
                await writer.drain()
        writer.close()

    async def _secure(self, reader: StreamReader, writer: StreamWriter) -> str | None:
        """Return why the client is refused, None if it may begin its session."""
        while True:
            length, code = struct.unpack("!II", await reader.readexactly(8))
            if code == GSS_REQUEST:
                writer.write(b"N")
            elif code == SSL_REQUEST:
                writer.write(b"S")
                await writer.drain()
                await writer.start_tls(self._context)
                return None if writer.get_extra_info("peercert") else "connection requires a valid client certificate"
            else:
                await reader.readexactly(length - 8)
                return 'no pg_hba.conf entry for host "127.0.0.1", no encryption'

    async def _pass_on(self, reader: StreamReader, writer: StreamWriter) -> None:
        behind_reader, behind_writer = await asyncio.open_connection(self._url.hostname, self._url.port)
        await asyncio.gather(_copy(reader, behind_writer), _copy(behind_reader, writer))


async def _copy(source: StreamReader, target: StreamWriter) -> None:
    with suppress(OSError):
        while octets := await source.read(65536):
            target.write(octets)
            await target.drain()
    target.close()


def _error(message: str) -> bytes:
    fields = b"".join(
        kind + text.encode() + b"\0" for kind, text in ((b"S", "FATAL"), (b"C", "28000"), (b"M", message))
    )
    return b"E" + struct.pack("!I", 4 + len(fields) + 1) + fields + b"\0"


@contextmanager
def running_gate(database_url: str, server: KeyPair, authority: Path) -> Generator[PostgresGate]:
    """A gate on an event loop of its own."""
    gate, loop = PostgresGate(database_url, server, authority), LoopThread("postgres gate")
    loop.start()
    asyncio.run(loop.run(gate.start()))
    yield gate
    asyncio.run(loop.run(gate.stop()))
    asyncio.run(loop.stop())
