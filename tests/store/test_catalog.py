"""The catalog in a real Postgres: allowed and refused queries, limits, and equality with `parts_catalog`."""

import pytest
from parts_catalog.bearings import BEARINGS
from parts_catalog.fasteners import FASTENERS
from parts_catalog.motors import MOTORS
from parts_catalog.parts import digest, parts
from parts_catalog.quantity_prices import price_breaks
from sqlalchemy import text
from store.catalog.query_check import QueryRefusedError
from store.catalog.reader import MAX_ROWS, Catalog
from store.database import Database
from store.migrate import migrate
from store.settings import DatabaseSettings


@pytest.fixture
def catalog(database: Database) -> Catalog:
    return Catalog(database.engine, timeout_ms=2000)


async def test_query_finds_parts_by_figures_and_price(catalog: Catalog):
    found = await catalog.query(
        "SELECT part_id, stall_torque_n_m, from_usd FROM part_search JOIN motor USING (part_id) "
        "WHERE voltage_v = 12 AND stall_torque_n_m >= 1 ORDER BY from_usd, stall_torque_n_m LIMIT 3"
    )
    assert found.columns == ("part_id", "stall_torque_n_m", "from_usd")
    assert [row[0] for row in found.rows] == ["gm25d-hp12-47", "gm37d-12v-30", "gm37d-12v-50"]
    assert found.rows[0][1:] == (1.471, 34.95)
    assert found.note == ""


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT p.part_id FROM catalog.part_search p WHERE p.searched @@ plainto_tsquery('english', 'ball bearing')",
        "WITH cheap AS (SELECT part_id, unit_usd FROM price WHERE unit_usd < 1) SELECT count(*) FROM cheap",
        "SELECT category, count(*), round(avg(from_usd)::numeric, 2) FROM part_search GROUP BY category ORDER BY 2",
        "SELECT part_id FROM part WHERE name ILIKE '%M4x20%' UNION SELECT part_id FROM part WHERE 'x' = ANY(aliases)",
        "SELECT part_id, figures->>'d_mm' FROM part WHERE (figures->>'d_mm')::float > 3;",
        "SELECT part_id, CASE WHEN mass_g > 100 THEN 'heavy' ELSE 'light' END FROM part -- a remark",
    ],
)
async def test_allowed_query_returns_rows(catalog: Catalog, sql: str):
    assert (await catalog.query(sql)).rows


FORBIDDEN = {
    "INSERT INTO catalog.supplier VALUES (9, 'me', NULL)": "INSERT is not allowed",
    "UPDATE catalog.price SET unit_usd = 0": "UPDATE is not allowed",
    "DELETE FROM part": "DELETE is not allowed",
    "DROP TABLE catalog.part": "DROP is not allowed",
    "CREATE TABLE catalog.mine (a int)": "CREATE is not allowed",
    "SELECT * INTO mine FROM part": "INTO is not allowed",
    "WITH gone AS (DELETE FROM price RETURNING *) SELECT * FROM gone": "DELETE is not allowed",
    "SELECT * FROM part FOR UPDATE": "LOCK is not allowed",
    "SELECT 1; SELECT 2": "2 statements",
    "SELECT 1; DROP TABLE catalog.part": "2 statements",
    "COPY part TO '/tmp/parts'": "COPY is not allowed",
    "SET ROLE postgres": "COMMAND is not allowed",
    "EXPLAIN ANALYZE SELECT 1": "not allowed",
    "SELECT pg_sleep(10)": "function pg_sleep is not allowed",
    "SELECT part_id FROM part, LATERAL pg_sleep(1)": "function pg_sleep is not allowed",
    "SELECT set_config('role', 'postgres', false)": "function set_config is not allowed",
    "SELECT pg_read_file('/etc/passwd')": "function pg_read_file is not allowed",
    "SELECT * FROM generate_series(1, 1000000)": "function .*generate.* is not allowed",
    "SELECT repeat(name, 1000000) FROM part": "function repeat is not allowed",
    "SELECT * FROM log.events": "schema log cannot be read",
    "SELECT * FROM checkpoints_planner.checkpoints": "schema checkpoints_planner cannot be read",
    "SELECT * FROM skills.skill": "schema skills cannot be read",
    "SELECT * FROM pg_catalog.pg_roles": "schema pg_catalog cannot be read",
    "SELECT * FROM information_schema.tables": "schema information_schema cannot be read",
    "SELECT * FROM pg_roles": "no table pg_roles",
    "SELECT * FROM part WHERE part_id IN (SELECT rolname FROM pg_authid)": "no table pg_authid",
    "SELECT 'pg_authid'::regclass": "type regclass is not allowed",
    "SELECT current_user": "is not allowed",
    "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT n FROM r": "RECURSIVE is not allowed",
    "SELEC part_id FROM part": "is not allowed|cannot be parsed",
    "": "0 statements",
    "SELECT '" + "x" * 5000 + "'": "at most 4000",
}


@pytest.mark.parametrize(("sql", "reason"), FORBIDDEN.items(), ids=[sql[:40] or "nothing" for sql in FORBIDDEN])
async def test_forbidden_query_is_refused_with_a_reason(catalog: Catalog, sql: str, reason: str):
    with pytest.raises(QueryRefusedError, match=f"(?i){reason}"):
        await catalog.query(sql)


FORBIDDEN_UNCHECKED = {
    "INSERT INTO catalog.supplier VALUES (9, 'me', NULL)": "permission denied|is read-only",
    "CREATE TABLE catalog.mine (a int)": "permission denied|is read-only",
    "CREATE TEMP TABLE mine (a int)": "permission denied|is read-only",
    "WITH gone AS (DELETE FROM catalog.price RETURNING *) SELECT * FROM gone": "permission denied|is read-only",
    "SELECT * FROM log.events": "permission denied for schema log",
    "SELECT * FROM skills.skill": "permission denied for schema skills",
    "SELECT * FROM checkpoints_planner.x": "permission denied for schema checkpoints_planner",
    "SELECT * FROM store.alembic_version": "permission denied for schema store",
    "SELECT rolpassword FROM pg_authid": "permission denied",
    "SELECT pg_read_file('/etc/passwd')": "permission denied",
    "SELECT 1; SELECT 2": "multiple commands",
    "SELECT pg_sleep(10)": "longer than 2000 ms",
    "SELECT count(*) FROM catalog.part a, catalog.part b, catalog.part c, catalog.part d, catalog.price": "longer",
    "SELECT nothing FROM catalog.part": 'column "nothing" does not exist',
}


@pytest.mark.parametrize(("sql", "reason"), FORBIDDEN_UNCHECKED.items(), ids=[sql[:40] for sql in FORBIDDEN_UNCHECKED])
async def test_database_refuses_unchecked_forbidden_query(catalog: Catalog, sql: str, reason: str):
    with pytest.raises(QueryRefusedError, match=reason):
        await catalog.run_unchecked(sql)


async def test_rows_beyond_the_limit_are_cut_with_a_note(catalog: Catalog):
    found = await catalog.query("SELECT a.part_id, b.part_id FROM part a, part b, part c")
    assert len(found.rows) == MAX_ROWS
    assert "200 rows" in found.note


async def test_long_cell_is_cut(catalog: Catalog):
    found = await catalog.query("SELECT record FROM part WHERE part_id = 'mg996r'")
    assert len(str(found.rows[0][0])) == 301


async def test_refused_query_leaves_connection_state_unchanged(catalog: Catalog, database: Database):
    for _ in range(12):  # more than the pool has connections
        with pytest.raises(QueryRefusedError):
            await catalog.run_unchecked("SELECT * FROM log.events")
    async with database.engine.begin() as connection:
        assert await connection.scalar(text("SELECT current_user = session_user")) is True
        assert await connection.scalar(text("SELECT count(*) FROM log.events")) is not None
        assert await connection.scalar(text("SHOW transaction_read_only")) == "off"


async def test_catalog_has_every_part_unchanged(catalog: Catalog):
    assert await catalog.parts(list(parts())) == parts()


async def test_search_view_shows_price_of_one_piece(catalog: Catalog):
    found = await catalog.query(
        "SELECT min_quantity, unit_usd, from_usd FROM price JOIN part_search USING (part_id) "
        "WHERE part_id = 'iso4762-m4x20' ORDER BY min_quantity"
    )
    assert found.rows == tuple((least, usd, 0.10) for least, usd in price_breaks(parts()["iso4762-m4x20"]))
    assert len(found.rows) == 3


async def test_hardware_has_the_same_price_and_mass_in_the_catalog(catalog: Catalog):
    hardware = {row.id: row for row in (*MOTORS.values(), *FASTENERS.values(), *BEARINGS.values())}
    found = await catalog.parts(list(hardware))
    for part_id, row in hardware.items():
        part = found[part_id]
        assert (part.price_usd, part.mass_kg, part.confidence) == (row.price_usd, row.mass_kg, row.confidence)


async def test_part_is_found_by_alias_in_any_case(catalog: Catalog):
    names = ["BRG-608", "608", "608ZZ"]
    found = await catalog.parts(names)
    assert {name: part.id for name, part in found.items()} == dict.fromkeys(names, "608zz")


async def test_unknown_id_has_similar_ids(catalog: Catalog):
    assert await catalog.parts(["pololu-37d-60"]) == {}
    assert "pololu-37d-50" in await catalog.similar_ids("pololu-37d-60")
    assert await catalog.similar_ids("@@@@") == ()


async def test_migration_replaces_an_outdated_catalog(empty_database_url: str):
    settings = DatabaseSettings(database_url=empty_database_url)
    await migrate(settings)
    database = Database(settings)
    async with database.engine.begin() as connection:
        await connection.execute(text("UPDATE catalog.meta SET digest = 'old'"))
        await connection.execute(text("UPDATE catalog.price SET unit_usd = 1000"))
        await connection.execute(text("DELETE FROM catalog.part WHERE part_id = 'mg996r'"))
    await migrate(settings)
    async with database.engine.connect() as connection:
        assert await connection.scalar(text("SELECT digest FROM catalog.meta")) == digest()
        assert (
            await connection.scalar(text("SELECT from_usd FROM catalog.part_search WHERE part_id = 'mg996r'")) == 12.0
        )
        assert await connection.scalar(text("SELECT count(*) FROM catalog.part")) == len(parts())
    await database.stop()
