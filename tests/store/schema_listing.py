"""Lists the objects of a database as Postgres describes them, one a line: what the migrations created."""

from collections.abc import Mapping
from pathlib import Path

from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine
from store.migrate import migrate
from store.settings import DatabaseSettings

GOLDEN = Path(__file__).parent / "golden"
SCHEMA_FILE = "schema.txt"

OWN = r"n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\_%'"

QUERIES: Mapping[str, str] = {
    "version": "SELECT version_num FROM store.alembic_version",
    "schema": f"SELECT n.nspname, n.nspacl::text FROM pg_namespace n WHERE {OWN}",
    "relation": f"""
        SELECT n.nspname, c.relname, c.relkind::text, c.relpersistence::text, c.relacl::text, c.reloptions::text
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE {OWN}""",
    "column": f"""
        SELECT n.nspname, c.relname, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
               a.attidentity::text, a.attgenerated::text, a.attstorage::text, pg_get_expr(d.adbin, d.adrelid)
        FROM pg_attribute a
        JOIN pg_class c ON c.oid = a.attrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace
        LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
        WHERE a.attnum > 0 AND c.relkind IN ('r', 'p', 'v', 'm', 'S') AND {OWN}""",
    "constraint": f"""
        SELECT n.nspname, c.relname, k.conname, pg_get_constraintdef(k.oid), k.convalidated
        FROM pg_constraint k
        JOIN pg_class c ON c.oid = k.conrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE {OWN}""",
    "index": f"SELECT i.indexdef FROM pg_indexes i JOIN pg_namespace n ON n.nspname = i.schemaname WHERE {OWN}",
    "view": f"""
        SELECT n.nspname, c.relname, pg_get_viewdef(c.oid)
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('v', 'm') AND {OWN}""",
    "function": f"""
        SELECT n.nspname, p.proname, pg_get_functiondef(p.oid), p.proacl::text
        FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE {OWN}""",
    "trigger": f"""
        SELECT n.nspname, c.relname, pg_get_triggerdef(t.oid)
        FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE NOT t.tgisinternal AND {OWN}""",
    "role": """
        SELECT rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication
        FROM pg_roles WHERE rolname = 'millwright_catalog_reader'""",
}
"""The queries by kind of object; `OWN` leaves out the schemas of Postgres."""


async def list_schema(connection: AsyncConnection) -> str:
    """Return one line for each object, sorted by kind and name; line breaks in definitions become spaces."""
    lines: list[str] = []
    for kind, query in QUERIES.items():
        rows = sorted((await connection.exec_driver_sql(query)).all(), key=str)
        lines += (" ".join(f"{kind} | {' | '.join(map(str, row))}".split()) for row in rows)
    return "\n".join(lines) + "\n"


async def migrated_schema(database_url: str) -> str:
    """Migrate an empty database and list its objects."""
    settings = DatabaseSettings(database_url=database_url)
    await migrate(settings)
    engine = create_async_engine(settings.asyncpg_url)
    async with engine.connect() as connection:
        schema = await list_schema(connection)
    await engine.dispose()
    return schema
