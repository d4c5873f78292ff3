"""Errors about the database; each message names the problem and how to fix it."""

from ssl import SSLCertVerificationError, SSLError

from contracts.settings import COMMAND


class StoreError(Exception):
    """Base class of all errors about the database."""


class DatabaseUnavailableError(StoreError):
    """The database cannot be connected to."""

    def __init__(self, location: str, cause: Exception, waited_s: float | None = None) -> None:
        """`waited_s`: how long its outage was waited out, if it is an outage."""
        waited = "" if waited_s is None else f" within {waited_s:g} s (DATABASE_CONNECT_TIMEOUT_S)"
        reason = str(cause) or type(cause).__name__
        fix = "check DATABASE_URL"
        if isinstance(cause, SSLCertVerificationError):
            reason = f"its certificate is not accepted ({cause.verify_message})"
            fix = "renew it, or name its authority in DATABASE_URL: sslrootcert=FILE"
        elif isinstance(cause, SSLError) or "client certificate" in reason:
            reason = f"it refuses our certificate ({reason})"
            fix = "name a certificate that its authority has signed in DATABASE_URL: sslcert=FILE and sslkey=FILE"
        super().__init__(f"the database {location} cannot be used{waited}: {reason}; {fix}")


class DatabaseOutageError(StoreError):
    """The database is unavailable for a while: the same query may succeed later."""

    def __init__(self, cause: BaseException) -> None:
        self.cause = cause
        super().__init__(f"Postgres is unavailable: {str(cause).strip() or type(cause).__name__}")


class DatabaseInUseError(StoreError):
    """The database cannot be replaced while services are connected to it."""

    def __init__(self, name: str, connections: int) -> None:
        super().__init__(
            f"the database {name} is in use ({connections} connections of Millwright): stop the services and other "
            "commands first"
        )


class BackupInProgressError(StoreError):
    """Another process makes or removes backups."""

    def __init__(self) -> None:
        super().__init__("another process is making a backup of this database: wait until it has ended")


class ReplacementError(StoreError):
    """The server refuses to create, rename or remove a database."""

    def __init__(self, name: str, cause: Exception) -> None:
        super().__init__(
            f"the database {name} cannot be replaced: {cause}; the user of DATABASE_URL must own it and may need "
            "`ALTER ROLE … CREATEDB`"
        )


class DatabaseCertificateError(StoreError):
    """A file that DATABASE_URL names for TLS cannot be used."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(
            f"a file of DATABASE_URL (sslrootcert, sslcert, sslkey) cannot be used: {cause.strerror or cause}; each "
            "must be readable and in PEM format, and the key that of the certificate"
        )


class EncodingError(StoreError):
    """The encoding of the database cannot represent every character."""

    def __init__(self, location: str, encoding: str) -> None:
        super().__init__(
            f"the database {location} has the encoding {encoding}, which cannot be changed later; UTF8 is required. "
            "Create another database, for example with `createdb --template template0 --encoding UTF8 NAME`, "
            f"set DATABASE_URL to it, and run `{COMMAND} migrate`"
        )


class PasswordError(StoreError):
    """A password contains characters that clients of Postgres encode differently."""

    def __init__(self, user: str) -> None:
        super().__init__(f"the password of {user} must be printable ASCII and not empty; choose another")


class SchemaError(StoreError):
    """The database has another schema version than this code."""


class SchemaMissingError(SchemaError):
    """The database was never migrated."""

    def __init__(self, required: str) -> None:
        super().__init__(
            f"the database has no Millwright tables (version {required} is required); run `{COMMAND} migrate`"
        )


class SchemaVersionError(SchemaError):
    """The database was migrated by another version of the code."""

    def __init__(self, found: str, required: str, *, is_older: bool) -> None:
        fix = f"run `{COMMAND} migrate`" if is_older else "it is newer: update Millwright, or use another database"
        super().__init__(f"the database has version {found}, but this code requires version {required}; {fix}")
