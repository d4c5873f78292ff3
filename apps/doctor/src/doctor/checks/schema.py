"""Checks of the servers' contents: tables, the stream, the bucket."""

from artifacts.inspection import S3State
from chassis.administration.inspection import BusState
from chassis.subjects import STREAM
from contracts.settings import COMMAND
from local_stack.errors import admin_hint
from store.inspection import DatabaseState
from store.migrate import known_versions, newest_version

from doctor.check import Check, failed, passed

MIGRATE = f"`{COMMAND} migrate` ({admin_hint('')})"
REBUILD = f"`{COMMAND} rebuild-stream` ({admin_hint('rebuild-stream')})"


def check_tables(state: DatabaseState) -> Check:
    """Check that the tables are at the version that this code uses."""
    required = newest_version()
    found = state.schema_version
    if found == required:
        return passed("schema", "tables", f"version {required}")
    if found is None:
        what = "the database has no tables of Millwright"
        return failed("schema", "tables", what, MIGRATE, f"version {required} is required")
    measured = f"version {found}, required {required}"
    if found in known_versions():
        return failed("schema", "tables", "the tables are older than this code", MIGRATE, measured)
    fix = "update this checkout (`git pull`, ./run setup), or set DATABASE_URL to another database"
    return failed("schema", "tables", "the tables are newer than this code", fix, measured)


def check_stored_tables(state: DatabaseState) -> Check:
    """Check the tables of a local database that does not run: an older one is migrated by the next start."""
    if state.schema_version is None or state.schema_version in known_versions():
        found = state.schema_version or "none"
        then = "" if found == newest_version() else f"; the next start migrates it to {newest_version()}"
        return passed("schema", "tables", f"version {found}{then}")
    return check_tables(state)


def check_stream(bus: BusState, database: DatabaseState | None) -> Check:
    """Check that the stream exists, is configured correctly, and is the one that was recorded."""
    if not bus.has_stream:
        if database is not None and database.recorded_up_to:
            measured = f"Postgres has recorded up to {database.recorded_up_to}"
            return failed("schema", "stream", f"stream {STREAM} is lost", REBUILD, measured)
        return failed("schema", "stream", f"stream {STREAM} does not exist", MIGRATE)
    if bus.drifted:
        what = f"stream {STREAM} has the wrong configuration"
        return failed("schema", "stream", what, MIGRATE, ", ".join(bus.drifted))
    if database is not None and database.recorded_up_to > bus.last_sequence:
        measured = f"it ends at {bus.last_sequence}, Postgres has recorded up to {database.recorded_up_to}"
        fix = f"stop the services and restore its end from Postgres: {MIGRATE}"
        return failed("schema", "stream", f"stream {STREAM} lacks messages that were recorded", fix, measured)
    return passed("schema", "stream", f"{STREAM}, up to {bus.last_sequence}")


def check_bucket(s3: S3State, bus: BusState | None) -> Check:
    """Check that the bucket exists, once events may name its artifacts."""
    if s3.has_bucket:
        return passed("artifacts", "bucket", f"exists; 4 kB round trip in {(s3.round_trip_s or 0) * 1000:.0f} ms")
    if bus is None or not bus.last_sequence:
        return passed("artifacts", "bucket", "not yet; the first service creates it")
    fix = (
        "restart the services, which create it; restore its artifacts from a backup, or solve the runs that need them "
        "again"
    )
    measured = f"events up to {bus.last_sequence} may name its artifacts"
    return failed("artifacts", "bucket", "the bucket is missing", fix, measured)
