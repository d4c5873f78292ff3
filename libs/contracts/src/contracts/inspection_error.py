"""Why a server could not be inspected, of every kind of server."""

from typing import Literal

FailureKind = Literal["no_answer", "refused", "unauthorized", "no_jetstream", "no_database", "corrupt", "broken"]


class ServerInspectionError(Exception):
    """A server could not be inspected, or did not return what was stored."""

    def __init__(self, kind: FailureKind, detail: str) -> None:
        super().__init__(detail)
        self.kind: FailureKind = kind
