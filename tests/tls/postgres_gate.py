"""TLS in front of a real Postgres: the wheel's own is built without it.

It speaks what Postgres speaks before a session: SSLRequest, the handshake, and the refusals of a server whose
pg_hba.conf has only `hostssl ... clientcert=verify-ca`. After that it passes all bytes on.
"""

import select
import socket
import ssl
import struct
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from tests.support.certificates.authority import KeyPair

SSL_REQUEST, GSS_REQUEST = 80877103, 80877104
"""Codes of requests that come before a session; see "Message Formats" in Postgres's manual."""


class PostgresGate:
    """Listens on a port of its own, with blocking sockets: like Postgres, they send the alert of a failed handshake."""

    def __init__(self, database_url: str, server: KeyPair, authority: Path) -> None:
        self._url = urlsplit(database_url)
        self._context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=authority)
        self._context.load_cert_chain(server.certificate, server.key)
        self._context.verify_mode = ssl.CERT_OPTIONAL
        self._listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """The database's URL through this gate."""
        port = self._listener.getsockname()[1]
        return self._url._replace(netloc=f"{self._url.netloc.rpartition(':')[0]}:{port}").geturl()

    def stop(self) -> None:
        """Accept no more."""
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError), client:
            while True:
                length, code = struct.unpack("!II", client.recv(8, socket.MSG_WAITALL))
                if code == SSL_REQUEST:
                    client.sendall(b"S")
                    with self._context.wrap_socket(client, server_side=True) as secured:
                        self._serve_secured(secured)
                    return
                if code != GSS_REQUEST:
                    client.recv(length - 8, socket.MSG_WAITALL)
                    client.sendall(_error('no pg_hba.conf entry for host "127.0.0.1", no encryption'))
                    return
                client.sendall(b"N")

    def _serve_secured(self, client: ssl.SSLSocket) -> None:
        if not client.getpeercert():
            client.recv(65536)
            client.sendall(_error("connection requires a valid client certificate"))
            return
        with socket.create_connection((self._url.hostname or "", self._url.port or 0)) as server:
            _pass_on(client, server)


def _pass_on(client: ssl.SSLSocket, server: socket.socket) -> None:
    """Pass bytes both ways until one side ends, in one thread: TLS sockets are not for two."""
    other = {client: server, server: client}
    while True:
        readable = [client] if client.pending() else select.select([client, server], [], [])[0]
        for source in readable:
            octets = source.recv(65536)
            if not octets:
                return
            other[source].sendall(octets)


def _error(message: str) -> bytes:
    given = ((b"S", "FATAL"), (b"C", "28000"), (b"M", message))
    fields = b"".join(kind + text.encode() + b"\0" for kind, text in given)
    return b"E" + struct.pack("!I", 4 + len(fields) + 1) + fields + b"\0"


@contextmanager
def running_gate(database_url: str, server: KeyPair, authority: Path) -> Generator[PostgresGate]:
    """A gate that is closed at the end."""
    gate = PostgresGate(database_url, server, authority)
    yield gate
    gate.stop()
