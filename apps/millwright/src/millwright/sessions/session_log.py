"""The log of a session: its events in a file, one line each, from which a lost kernel is rebuilt."""

import fcntl
import os
from pathlib import Path

from contracts.envelope import Event
from contracts.models.continuation import SessionEvent
from contracts.registry import parse

LOG = "events.jsonl"


class SessionInUseError(RuntimeError):
    """Another process holds the session; the message says which and what to do."""


class SessionLog:
    """Appends to a session's file, and holds the session while it is open."""

    def __init__(self, folder: Path) -> None:
        """Read the log, without a last line that a killed process wrote in part; raise `SessionInUseError`."""
        self._file = (folder / LOG).open("a+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._file.close()
            raise SessionInUseError(
                f"session {folder.name} is open in another server of this machine; close it there, or open your own"
            ) from error
        self.events = self._read()

    def append(self, *events: Event) -> None:
        """Add events durably."""
        lines = [SessionEvent(subject=each.full_subject, body=each.model_dump_json()) for each in events]
        self._file.write(b"".join(line.model_dump_json().encode() + b"\n" for line in lines))
        self._file.flush()
        os.fsync(self._file.fileno())
        self.events += events

    def close(self) -> None:
        """Let other processes open the session."""
        self._file.close()

    def _read(self) -> list[Event]:
        self._file.seek(0)
        whole, _, torn = self._file.read().rpartition(b"\n")
        if torn:
            self._file.truncate(len(whole) + 1 if whole else 0)
        lines = [SessionEvent.model_validate_json(line) for line in whole.splitlines()]
        return [parse(line.subject, line.body.encode()) for line in lines]
