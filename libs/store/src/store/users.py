"""A login for each service that works with the database, which writes into its own schemas and into no other's.

Who runs everything as one user, as one machine does, needs none of this.
"""

from collections.abc import Mapping

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from store.catalog.reader import READER
from store.errors import PasswordError
from store.scram import can_be_verified, scram_verifier
from store.settings import DatabaseSettings
from store.tables import OWN_SCHEMA, SCHEMAS

WRITABLE_SCHEMAS: Mapping[str, tuple[str, ...]] = {
    "recorder": ("log",),
    "planner": ("checkpoints_planner",),
    "critic": ("checkpoints_critic",),
    "engineer": ("checkpoints_engineer",),
    "catalog": ("checkpoints_catalog",),
    "skill-learner": ("checkpoints_skill_learner", "skills"),
    "cli": (),
}
"""The schemas of each service. The others have no business in the database."""

READABLE_SCHEMAS: Mapping[str, tuple[str, ...]] = {"cli": ("log",)}
"""What a service reads besides, and the number of the newest migration, which all may read."""

LOCK = 0x75736572
"""An advisory lock's key ("user"): Postgres fails when two change one user at once."""
MAKE = """
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = '{user}') THEN CREATE ROLE "{user}"; END IF;
END $$
"""
LET_IN = """ALTER ROLE "{user}" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD '{verifier}'"""
TAKE = (
    'REVOKE ALL ON ALL TABLES IN SCHEMA {schemas} FROM "{user}" CASCADE',
    'REVOKE ALL ON ALL SEQUENCES IN SCHEMA {schemas} FROM "{user}" CASCADE',
    'REVOKE ALL ON ALL ROUTINES IN SCHEMA {schemas} FROM "{user}" CASCADE',
    'REVOKE ALL ON SCHEMA {schemas} FROM "{user}" CASCADE',
)
LEAVE = """
SELECT format('REVOKE %I FROM %I GRANTED BY %I CASCADE', joined.rolname, member.rolname,
              coalesce(grantor.rolname, current_user))
FROM pg_auth_members membership
JOIN pg_roles joined ON joined.oid = membership.roleid
JOIN pg_roles member ON member.oid = membership.member
LEFT JOIN pg_roles grantor ON grantor.oid = membership.grantor -- before Postgres 16 it may be gone
WHERE member.rolname = :user
"""
READ = (
    'GRANT USAGE ON SCHEMA {schemas} TO "{user}"',
    'GRANT SELECT ON ALL TABLES IN SCHEMA {schemas} TO "{user}"',
)
WRITE = (
    # CREATE, since LangGraph says CREATE TABLE IF NOT EXISTS of tables that exist
    'GRANT CREATE ON SCHEMA {schemas} TO "{user}"',
    'GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schemas} TO "{user}"',
    'GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schemas} TO "{user}"',
)


async def provision_users(settings: DatabaseSettings, passwords: Mapping[str, str]) -> list[str]:
    """Make the users of these services, or give them these passwords; return their names.

    Afterwards each has the rights of the tables above in our schemas and no others, whatever it had before. The
    database must be migrated, LangGraph's tables included, since what is granted is granted on tables that exist.
    Raises `PasswordError`.
    """
    users = sorted(passwords.keys() & WRITABLE_SCHEMAS.keys())
    for user in users:
        if not can_be_verified(passwords[user]):
            raise PasswordError(user)
    engine = create_async_engine(settings.asyncpg_url, poolclass=NullPool)
    try:
        async with engine.begin() as connection:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
            for user in users:
                await _let_in(connection, user, passwords[user])
                await _take_all(connection, user)
                await _grant(connection, user)
    finally:
        await engine.dispose()
    return users


async def _let_in(connection: AsyncConnection, user: str, password: str) -> None:
    await connection.exec_driver_sql(MAKE.format(user=user))
    await connection.exec_driver_sql(LET_IN.format(user=user, verifier=scram_verifier(password)))


async def _take_all(connection: AsyncConnection, user: str) -> None:
    """Take every right in our schemas, and every membership, which is the rights of somebody else."""
    schemas = ", ".join((OWN_SCHEMA, *SCHEMAS))
    memberships = await connection.scalars(text(LEAVE), {"user": user})
    for statement in (*memberships, *(each.format(schemas=schemas, user=user) for each in TAKE)):
        await connection.exec_driver_sql(statement)


async def _grant(connection: AsyncConnection, user: str) -> None:
    writes = ", ".join(WRITABLE_SCHEMAS[user])
    reads = ", ".join((OWN_SCHEMA, *WRITABLE_SCHEMAS[user], *READABLE_SCHEMAS.get(user, ())))
    statements = [each.format(schemas=reads, user=user) for each in READ]
    if writes:
        statements += [each.format(schemas=writes, user=user) for each in WRITE]
    if user == "catalog":
        statements.append(f'GRANT {READER} TO "{user}"')
    for statement in statements:
        await connection.exec_driver_sql(statement)
