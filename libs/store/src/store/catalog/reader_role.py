"""The database role that may read only the schema `catalog`.

Roles belong to the server, and rights are not part of a backup: after a restoration into a new server both are missing.
"""

from sqlalchemy.ext.asyncio import AsyncConnection

from store.catalog.reader import READER

# Creating it requires CREATEROLE; for a user without that, an administrator creates the role beforehand and grants it.
CREATE = f"""
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = '{READER}') THEN
        CREATE ROLE {READER} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- a migration of another database created it first
END $$
"""
JOIN = f"""
DO $$
BEGIN
    IF NOT pg_catalog.pg_has_role(current_user, '{READER}', 'MEMBER') THEN
        GRANT {READER} TO CURRENT_USER;
    END IF;
END $$
"""
RIGHTS = (
    f"GRANT USAGE ON SCHEMA catalog TO {READER}",
    f"GRANT SELECT ON ALL TABLES IN SCHEMA catalog TO {READER}",
)


async def provision_reader(connection: AsyncConnection) -> None:
    """Create the role where it is missing, and let it read the catalog's tables, which must exist.

    The connection's user becomes a member.
    """
    for statement in (CREATE, JOIN, *RIGHTS):
        await connection.exec_driver_sql(statement)
