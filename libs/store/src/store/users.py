"""Database users: one for each service that uses the database, with write access to its own schemas only.

One more may do nothing but read the catalog: it runs the queries that a model writes.
"""

import base64
import hashlib
import hmac
import os
from collections.abc import Mapping

from sqlalchemy import make_url, text
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.pool import NullPool

from store.catalog.reader import READER
from store.errors import PasswordError
from store.outages import make_engine
from store.settings import DatabaseSettings
from store.tables import CHECKPOINTS, OWN_SCHEMA, SCHEMAS

WRITABLE_SCHEMAS: Mapping[str, tuple[str, ...]] = {
    "recorder": ("log", "read_models"),
    **{role: (schema,) for role, schema in CHECKPOINTS.items()},
    "skill-learner": (CHECKPOINTS["skill-learner"], "skills"),
    "benchmark-generator": (CHECKPOINTS["benchmark-generator"], "benchmarks"),
    "cli": (),
    "gateway": ("backups", "sessions"),
}
"""The schemas of each service. Other services do not use the database."""

CATALOG_READER = "catalog-reader"
"""Runs the catalog's queries. A query may reset its role to that of its session, so the session has no other rights."""
USERS = (*WRITABLE_SCHEMAS, CATALOG_READER)

READABLE_SCHEMAS: Mapping[str, tuple[str, ...]] = {
    "cli": ("log", "read_models", "skills"),
    "gateway": ("log", "read_models", "skills"),
}
"""Further schemas that a service may read. Every service may read the number of the newest migration."""

LOCK = 0x75736572
"""Key of the advisory lock ("user"): Postgres fails if two transactions alter one user at once."""
SCRAM_ITERATIONS = 4096
"""The default of Postgres and the minimum of RFC 7677."""
SALT_BYTES = 16

CREATE_ROLE = """
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = '{user}') THEN CREATE ROLE "{user}"; END IF;
END $$
"""
ALTER_ROLE = """ALTER ROLE "{user}" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD '{verifier}'"""
REVOKE_ALL = (
    'REVOKE ALL ON ALL TABLES IN SCHEMA {schemas} FROM "{user}" CASCADE',
    'REVOKE ALL ON ALL SEQUENCES IN SCHEMA {schemas} FROM "{user}" CASCADE',
    'REVOKE ALL ON ALL ROUTINES IN SCHEMA {schemas} FROM "{user}" CASCADE',
    'REVOKE ALL ON SCHEMA {schemas} FROM "{user}" CASCADE',
)
REVOKE_MEMBERSHIPS = """
SELECT format('REVOKE %I FROM %I GRANTED BY %I CASCADE', joined.rolname, member.rolname,
              coalesce(grantor.rolname, current_user))
FROM pg_auth_members membership
JOIN pg_roles joined ON joined.oid = membership.roleid
JOIN pg_roles member ON member.oid = membership.member
LEFT JOIN pg_roles grantor ON grantor.oid = membership.grantor -- before Postgres 16 it may no longer exist
WHERE member.rolname = :user
"""
GRANT_READ = (
    'GRANT USAGE ON SCHEMA {schemas} TO "{user}"',
    'GRANT SELECT ON ALL TABLES IN SCHEMA {schemas} TO "{user}"',
)
GRANT_WRITE = (
    # LangGraph runs CREATE TABLE IF NOT EXISTS for tables that exist, which needs CREATE.
    'GRANT CREATE ON SCHEMA {schemas} TO "{user}"',
    'GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schemas} TO "{user}"',
    'GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schemas} TO "{user}"',
)


async def provision_users(settings: DatabaseSettings, passwords: Mapping[str, str]) -> list[str]:
    """Create or update the users of the services in `passwords`, and return their names.

    Afterwards each user has exactly the rights in the tables above, whatever rights it had before. The database must be
    migrated, including LangGraph's tables, since rights can be granted only on existing tables. Raises `PasswordError`.
    """
    users = sorted(passwords.keys() & set(USERS))
    for user in users:
        if not is_valid_password(passwords[user]):
            raise PasswordError(user)
    engine = make_engine(settings, poolclass=NullPool)
    try:
        async with engine.begin() as connection:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
            for user in users:
                await _create_or_alter(connection, user, passwords[user])
                await _revoke_all(connection, user)
                await _grant(connection, user)
    finally:
        await engine.dispose()
    return users


def url_of(user: str, password: str, admin_url: str) -> str:
    """Return the URL with which a user logs in to the database of `admin_url`."""
    return make_url(admin_url).set(username=user, password=password).render_as_string(hide_password=False)


def is_valid_password(password: str) -> bool:
    """Return whether SASLprep (RFC 4013) leaves a password unchanged: non-empty printable ASCII."""
    return password != "" and password.isascii() and password.isprintable()


def scram_verifier(password: str) -> str:
    """Return the form in which Postgres stores a password: it does not reveal the password in statements and logs.

    The keys follow RFC 5802, section 3, and the format RFC 5803: `SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey`.
    """
    salt = os.urandom(SALT_BYTES)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode("ascii"), salt, SCRAM_ITERATIONS)
    stored_key = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    server_key = hmac.digest(salted, b"Server Key", "sha256")
    return f"SCRAM-SHA-256${SCRAM_ITERATIONS}:{_base64(salt)}${_base64(stored_key)}:{_base64(server_key)}"


def _base64(octets: bytes) -> str:
    return base64.b64encode(octets).decode("ascii")


async def _create_or_alter(connection: AsyncConnection, user: str, password: str) -> None:
    await connection.exec_driver_sql(CREATE_ROLE.format(user=user))
    await connection.exec_driver_sql(ALTER_ROLE.format(user=user, verifier=scram_verifier(password)))


async def _revoke_all(connection: AsyncConnection, user: str) -> None:
    """Revoke all rights in Millwright's schemas, and all memberships, which confer the rights of other users."""
    schemas = ", ".join((OWN_SCHEMA, *SCHEMAS))
    memberships = await connection.scalars(text(REVOKE_MEMBERSHIPS), {"user": user})
    for statement in (*memberships, *(each.format(schemas=schemas, user=user) for each in REVOKE_ALL)):
        await connection.exec_driver_sql(statement)


async def _grant(connection: AsyncConnection, user: str) -> None:
    own = WRITABLE_SCHEMAS.get(user, ())
    writable = ", ".join(own)
    readable = ", ".join((OWN_SCHEMA, *own, *READABLE_SCHEMAS.get(user, ())))
    statements = [each.format(schemas=readable, user=user) for each in GRANT_READ]
    if writable:
        statements += [each.format(schemas=writable, user=user) for each in GRANT_WRITE]
    if user == CATALOG_READER:
        statements.append(f'GRANT {READER} TO "{user}"')
    for statement in statements:
        await connection.exec_driver_sql(statement)
