"""The journal entries that a request names are read, or the request is not worked on."""

from dataclasses import dataclass
from uuid import UUID, uuid4

import pytest
from chassis.errors import FutureVersionError
from chassis.testing import FakeBus
from contracts.envelope import Role
from kernel_host.sessions.journal_entries import read_entries


@dataclass
class Naming:
    """A request that names entries."""

    journal_entries: tuple[UUID, ...]
    run_id: UUID
    role: Role = "engineer"


async def test_missing_entry_is_an_error() -> None:
    with pytest.raises(LookupError, match="has no journal entry"):
        await read_entries(Naming((uuid4(),), uuid4()), FakeBus())


async def test_entry_of_a_newer_version_is_left_to_that(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bus of a worker leaves it out, although it is stored."""
    bus = FakeBus()

    async def is_stored(*_: object) -> bool:
        return True

    monkeypatch.setattr(bus, "is_stored", is_stored)
    with pytest.raises(FutureVersionError, match="update this program"):
        await read_entries(Naming((uuid4(),), uuid4()), bus)
