"""What a backup holds, and under which keys."""

from contracts.model import Model
from contracts.models.artifact import Sha256
from pydantic import AwareDatetime, NonNegativeInt

MANIFESTS, DUMPS, ARTIFACTS = "manifests/", "dumps/", "artifacts/"
"""Prefixes of the keys. Artifacts are shared by all backups."""


class Dump(Model):
    """The dump of the database, compressed."""

    sha256: Sha256
    size_bytes: NonNegativeInt


class Copy(Model):
    """The copy of an artifact."""

    sha256: Sha256
    media_type: str
    size_bytes: NonNegativeInt


class Manifest(Model):
    """One backup. It is stored last: what no manifest names is left from a backup that was interrupted."""

    name: str
    """Its time, such as `2026-11-24T03-00-00Z`: names sort by time."""
    created_at: AwareDatetime
    schema_revision: str
    """Of the database, by its migrations."""
    dump: Dump
    artifacts: tuple[Copy, ...]
    """All that recorded events and skills named, as far as they were stored."""
    missing: tuple[Sha256, ...] = ()
    """Artifacts that are named but were not in the store: they had been lost before."""
    corrupt: tuple[Sha256, ...] = ()
    """Artifacts that are named, but had other bytes in the store, and no whole copy."""
    events: NonNegativeInt
    runs: NonNegativeInt
    skills: NonNegativeInt

    @property
    def key(self) -> str:
        """Where the manifest is."""
        return f"{MANIFESTS}{self.name}.json"

    @property
    def dump_key(self) -> str:
        """Where its dump is."""
        return dump_key(self.name)


def artifact_key(sha256: str) -> str:
    """Return where the copy of an artifact is."""
    return f"{ARTIFACTS}{sha256[:2]}/{sha256}"


def dump_key(name: str) -> str:
    """Return where the dump of the backup of this name is."""
    return f"{DUMPS}{name}.dump.zst"
