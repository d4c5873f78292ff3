"""Why a service cannot work with its database."""


class StoreError(Exception):
    """Any of these; its text names the thing and the mend."""


class DatabaseUnavailableError(StoreError):
    """Nobody answers, or we are not let in."""

    def __init__(self, place: str, cause: Exception, waited_s: float | None = None) -> None:
        """`waited_s`: for how long it was away."""
        waited = "" if waited_s is None else f" within {waited_s:g} s (DATABASE_CONNECT_TIMEOUT_S)"
        told = str(cause) or type(cause).__name__
        super().__init__(f"the database {place} cannot be used{waited}: {told}; check DATABASE_URL")


class DatabaseOutageError(StoreError):
    """The database is away, is restarting, or does not answer in time: the same work may succeed later."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(f"the database is away: {str(cause).strip() or type(cause).__name__}")


class EncodingError(StoreError):
    """The database keeps bytes of any kind, or lacks letters: what is written would not come back as text."""

    def __init__(self, place: str, found: str) -> None:
        super().__init__(
            f"the database {place} has the encoding {found}, which cannot be changed afterwards; UTF8 is wanted. "
            "Make a new one, such as by `createdb --template template0 --encoding UTF8 NAME`, "
            "set DATABASE_URL to it, and run `millwright migrate`"
        )


class PasswordError(StoreError):
    """A user's password is none that every client of Postgres sends in the same way."""

    def __init__(self, user: str) -> None:
        super().__init__(f"the password of {user} must be of printable ASCII letters, at least one; choose another")


class SchemaError(StoreError):
    """The database is not at the version that this code speaks."""


class SchemaMissingError(SchemaError):
    """Nobody has migrated this database yet."""

    def __init__(self, wanted: str) -> None:
        super().__init__(f"the database has no tables of ours (version {wanted} is wanted); run `millwright migrate`")


class SchemaVersionError(SchemaError):
    """It was migrated by other code."""

    def __init__(self, found: str, wanted: str, *, is_older: bool) -> None:
        mend = "run `millwright migrate`" if is_older else "update this service"
        super().__init__(f"the database is at version {found}, this code speaks version {wanted}; {mend}")
