"""What must lie on the servers before anything works: tables, the stream, the bucket."""

from artifacts.inspection import S3State
from chassis.observability.inspection import BusState
from chassis.stream.subjects import STREAM
from local_stack.containers import as_admin
from store.inspection import DatabaseState
from store.migrate import known_versions, newest_version

from doctor.check import Check, failed, passed

MIGRATE = f"`millwright migrate` ({as_admin('')})"
REBUILD = f"`millwright rebuild-stream` ({as_admin('rebuild-stream')})"


def check_tables(state: DatabaseState) -> Check:
    """The tables are at the version that this code speaks."""
    wanted = newest_version()
    found = state.schema_version
    if found == wanted:
        return passed("schema", "tables", f"version {wanted}")
    if found is None:
        return failed("schema", "tables", "the database has no tables of ours", MIGRATE, f"version {wanted} is wanted")
    measured = f"version {found}, wanted {wanted}"
    if found in known_versions():
        return failed("schema", "tables", "the tables are older than this code", MIGRATE, measured)
    mend = "update this checkout (`git pull`, ./run setup), or set DATABASE_URL to a database of its own"
    return failed("schema", "tables", "the tables are newer than this code", mend, measured)


def check_stream(bus: BusState, database: DatabaseState | None) -> Check:
    """The stream is there, as it must be."""
    if not bus.has_stream:
        if database is not None and database.recorded_up_to:
            measured = f"Postgres has recorded up to {database.recorded_up_to}"
            return failed("schema", "stream", f"stream {STREAM} is lost", REBUILD, measured)
        return failed("schema", "stream", f"there is no stream {STREAM}", MIGRATE)
    if bus.drifted:
        what = f"stream {STREAM} is not as it must be"
        return failed("schema", "stream", what, MIGRATE, ", ".join(bus.drifted))
    if database is not None and database.recorded_up_to > bus.last_sequence:
        measured = f"it ends at {bus.last_sequence}, Postgres has recorded up to {database.recorded_up_to}"
        mend = f"delete it and restore it from Postgres: {REBUILD}"
        return failed("schema", "stream", f"stream {STREAM} is not the one that was recorded", mend, measured)
    return passed("schema", "stream", f"{STREAM}, up to {bus.last_sequence}")


def check_bucket(s3: S3State, bus: BusState | None) -> Check:
    """The bucket is there, once anything was said that may name a blob."""
    if s3.has_bucket:
        return passed("artifacts", "bucket", f"there; 4 kB there and back in {(s3.round_trip_s or 0) * 1000:.0f} ms")
    if bus is None or not bus.last_sequence:
        return passed("artifacts", "bucket", "not yet; the first service makes it")
    mend = (
        "start the services again, they make it; restore its blobs from a backup, or solve anew the runs that need them"
    )
    return failed(
        "artifacts", "bucket", "the bucket is gone", mend, f"events up to {bus.last_sequence} may name its blobs"
    )
