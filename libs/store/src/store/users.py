"""A login for each service that works with the database, which writes into its own schemas and into no other's.

Who runs everything as one user, as one machine does, needs none of this.
"""

from collections.abc import Mapping

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from sqlalchemy.pool import NullPool

from store.catalog import READER
from store.settings import DatabaseSettings
from store.tables import OWN_SCHEMA

WRITES: Mapping[str, tuple[str, ...]] = {
    "recorder": ("log",),
    "planner": ("checkpoints",),
    "critic": ("checkpoints",),
    "engineer": ("checkpoints",),
    "catalog": ("checkpoints",),
    "skill-learner": ("checkpoints", "skills"),
    "cli": (),
}
"""The schemas of each service. The others have no business in the database."""

READS: Mapping[str, tuple[str, ...]] = {"cli": ("log",)}
"""What a service reads besides, and the number of the newest migration, which all may read."""

MAKE = """
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = {literal}) THEN CREATE ROLE {name}; END IF;
END $$
"""
LET_IN = "ALTER ROLE {name} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD {password}"


async def provide_users(settings: DatabaseSettings, passwords: Mapping[str, str]) -> list[str]:
    """Make the users of these services, or give them these passwords; return their names.

    The database must be migrated, LangGraph's tables included, since what is granted is granted on tables that exist.
    """
    users = sorted(passwords.keys() & WRITES.keys())
    engine = create_async_engine(settings.asyncpg_url, poolclass=NullPool)
    try:
        async with engine.begin() as connection:
            for user in users:
                await _provide(connection, user, passwords[user])
    finally:
        await engine.dispose()
    return users


async def _provide(connection: AsyncConnection, user: str, password: str) -> None:
    quoted = await connection.execute(
        text("SELECT quote_ident(:user), quote_literal(:user), quote_literal(:password)"),
        {"user": user, "password": password},
    )
    name, literal, secret = quoted.one()
    statements = [MAKE.format(name=name, literal=literal), LET_IN.format(name=name, password=secret)]
    for schema in (OWN_SCHEMA, *WRITES[user], *READS.get(user, ())):
        statements += [
            f"GRANT USAGE ON SCHEMA {schema} TO {name}",
            f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {name}",
        ]
    for schema in WRITES[user]:
        # CREATE, since LangGraph says CREATE TABLE IF NOT EXISTS of tables that exist
        statements += [
            f"GRANT CREATE ON SCHEMA {schema} TO {name}",
            f"GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {name}",
            f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {name}",
        ]
    if user == "catalog":
        statements.append(f"GRANT {READER} TO {name}")
    for statement in statements:
        await connection.exec_driver_sql(statement)
