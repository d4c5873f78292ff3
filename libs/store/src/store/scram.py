"""A password as Postgres keeps it. Who is sent this instead of the password cannot log the password."""

import base64
import hashlib
import hmac
import os

ITERATIONS = 4096
"""As many as Postgres takes itself, and as RFC 7677 demands at least."""
SALT_BYTES = 16


def can_be_verified(password: str) -> bool:
    """Tell whether a password is made of printable ASCII, which SASLprep (RFC 4013) leaves as it is."""
    return password != "" and password.isascii() and password.isprintable()


def scram_verifier(password: str) -> str:
    """Return a verifier of a password with a salt of its own, in the form of `pg_authid.rolpassword`.

    The keys are computed as RFC 5802, section 3, tells and written as RFC 5803 does:
    `SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey`.
    """
    salt = os.urandom(SALT_BYTES)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode("ascii"), salt, ITERATIONS)
    stored_key = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    server_key = hmac.digest(salted, b"Server Key", "sha256")
    return f"SCRAM-SHA-256${ITERATIONS}:{_text(salt)}${_text(stored_key)}:{_text(server_key)}"


def _text(octets: bytes) -> str:
    return base64.b64encode(octets).decode("ascii")
