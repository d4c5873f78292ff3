"""A private certificate authority for tests."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

YEAR = timedelta(days=365)


@dataclass(frozen=True)
class KeyPair:
    """Files in PEM format."""

    certificate: Path
    key: Path


class Authority:
    """It signs certificates of servers at 127.0.0.1 and of clients."""

    def __init__(self, folder: Path, name: str) -> None:
        """Write the authority's own certificate to `folder`."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self._key = ec.generate_private_key(ec.SECP256R1())
        now = datetime.now(UTC)
        certificate = (
            self._builder(self._name, self._key, now - YEAR, now + YEAR)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(_usage(signs_certificates=True), critical=True)
            .sign(self._key, SHA256())
        )
        self.certificate = folder / "ca.crt"
        self.certificate.write_bytes(certificate.public_bytes(Encoding.PEM))

    def issue(self, name: str, *, expired: bool = False) -> KeyPair:
        """Return a key pair for a server or client; an expired one ended yesterday."""
        key = ec.generate_private_key(ec.SECP256R1())
        now = datetime.now(UTC)
        until = now - timedelta(days=1) if expired else now + YEAR
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        addresses = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
        certificate = (
            self._builder(subject, key, now - YEAR, until)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName(addresses), critical=False)
            .sign(self._key, SHA256())
        )
        pair = KeyPair(self._folder / f"{name}.crt", self._folder / f"{name}.key")
        pair.certificate.write_bytes(certificate.public_bytes(Encoding.PEM))
        pair.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        pair.key.chmod(0o600)
        return pair

    def _builder(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, begin: datetime, end: datetime
    ) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(begin)
            .not_valid_after(end)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
        )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )
