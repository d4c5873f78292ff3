"""Access control of SeaweedFS: without it, any user of the machine could read, replace and delete every blob.

S3 asks for its keys by itself. Behind it are four servers, whose HTTP asks for signed tokens and whose gRPC for
a certificate of our own authority. All of them run in one process, which is the only one that has tokens and
certificate: they are made at each start, and the authority's key is never written.
"""

import http.client
import os
import secrets
import socket
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from local_stack.data_folder import write_private
from local_stack.servers.ports import LOOPBACK, PARTS, seaweedfs_socket

SETTINGS = "security.toml"
"""SeaweedFS reads it in its working directory."""
TOKENS = ("jwt.signing", "jwt.signing.read", "jwt.filer_signing", "jwt.filer_signing.read")
GRPC = ("master", "volume", "filer", "s3", "admin", "worker", "msg_broker", "msg_agent", "mq", "client")
VALID = timedelta(days=3650)
"""Longer than a process runs; the next one makes its own certificate."""
PROBE_S = 2.0
PATHS_WITH_DATA = ("/dir/assign", "/buckets/", "/stats/disk")
"""Of master, filer and volume server: a number for a new blob, the list of buckets, the disk."""
_HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"
_SETTINGS_FRAME = 4


def write_security(folder: Path) -> None:
    """Write new tokens and a new certificate, for the user of this process only."""
    authority, certificate, key = _certificates()
    files = {name: folder / name for name in ("ca.pem", "cert.pem", "key.pem")}
    write_private(files["ca.pem"], authority)
    write_private(files["cert.pem"], certificate)
    write_private(files["key.pem"], key)
    lines = [line for name in TOKENS for line in (f"[{name}]", f'key = "{secrets.token_hex(32)}"')]
    lines += ["[grpc]", f'ca = "{files["ca.pem"]}"']
    for name in GRPC:
        lines += [f"[grpc.{name}]", f'cert = "{files["cert.pem"]}"', f'key = "{files["key.pem"]}"']
    write_private(folder / SETTINGS, "\n".join(lines) + "\n")


def open_ports(ports: Sequence[int]) -> list[int]:
    """Return those of the ports behind S3 that serve a stranger, who has neither token nor certificate."""
    return [port for port in ports if _serves_http(port) or _serves_grpc(port)]


def remove_sockets(grpc_ports: Sequence[int]) -> None:
    """Remove the sockets of this user that SeaweedFS has left behind."""
    for part, port in zip(PARTS, grpc_ports, strict=True):
        path = seaweedfs_socket(part, port)
        if path.is_socket() and path.lstat().st_uid == os.geteuid():
            path.unlink(missing_ok=True)


def _certificates() -> tuple[str, str, str]:
    """Return the authority's certificate, one for servers and clients, and the latter's key, as PEM."""
    authority_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    authority_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "millwright authority")])
    authority = (
        _builder(authority_name, authority_name, authority_key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(authority_key, hashes.SHA256())
    )
    usages = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH])
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "millwright")])
    certificate = (
        _builder(name, authority_name, key)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usages, critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return _text(authority.public_bytes(Encoding.PEM)), _text(certificate.public_bytes(Encoding.PEM)), _text(pem)


def _builder(name: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + VALID)
    )


def _text(pem: bytes) -> str:
    return pem.decode("ascii")


def _serves_http(port: int) -> bool:
    for path in PATHS_WITH_DATA:
        connection = http.client.HTTPConnection(LOOPBACK, port, timeout=PROBE_S)
        try:
            connection.request("GET", path)
            if connection.getresponse().status < http.HTTPStatus.BAD_REQUEST:
                return True
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
    return False


def _serves_grpc(port: int) -> bool:
    """Return whether HTTP/2 is answered without TLS, as gRPC does unless it asks for certificates."""
    try:
        with socket.create_connection((LOOPBACK, port), PROBE_S) as connection:
            connection.settimeout(PROBE_S)
            connection.sendall(_HTTP2)
            answer = connection.recv(9)
    except OSError:
        return False
    return len(answer) == 9 and answer[3] == _SETTINGS_FRAME
