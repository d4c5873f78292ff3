"""The host of an author's kernel, as `utils` sees it. The kernel's process connects it once."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn, Protocol

from contracts.events.benchmark import DraftFinding, WorldCertificate
from contracts.models.benchmark import Variant
from documents.benchmarks.certification import certification_markdown

from kernel.api.host_tools import NotConnectedError

FILES = ("benchmark.yaml", "environment.py", "witness.py")
MAX_SEED = 2**31 - 1


@dataclass(frozen=True, repr=False)
class AuthorWorld:
    """One world as this kernel has built it; the platform builds it again."""

    seed: int | None
    """None: the nominal world."""
    benchmark: Variant | None = None
    """None: benchmark.yaml states no valid world."""
    environment: object = None
    """The solids of environment.py as a Compound, refused ones too; None: it built nothing."""
    faults: tuple[str, ...] = ()
    """Why the format refuses the world."""
    markdown: str = field(default="", repr=False)
    """What was built, with the faults."""

    @property
    def is_sound(self) -> bool:
        """Whether the format refuses nothing."""
        return not self.faults

    def __repr__(self) -> str:
        """Name it, and count its faults."""
        which = "nominal world" if self.seed is None else f"world of seed {self.seed}"
        return f"<{which}: {'sound' if self.is_sound else f'{len(self.faults)} faults'}>"


@dataclass(frozen=True, repr=False)
class Certification:
    """What became of the tested worlds."""

    worlds: Sequence[WorldCertificate]
    """The certified ones."""
    findings: Sequence[DraftFinding]
    """Why the others are not: each with its seed, stage and detail."""

    @property
    def is_certified(self) -> bool:
        """Whether every world is."""
        return bool(self.worlds) and not self.findings

    @property
    def markdown(self) -> str:
        """The table of verdicts, and the findings."""
        return certification_markdown(self.worlds, self.findings)

    def __repr__(self) -> str:
        """Count the worlds."""
        return f"<{len(self.worlds)} worlds certified, {len(self.findings)} findings>"


class AuthorHost(Protocol):
    """What the functions of an author's `utils` need."""

    def write(self, path: str, text: str) -> None:
        """Write one of `FILES` in the workspace."""
        ...

    def create(self, seed: int | None) -> AuthorWorld:
        """Build a world in this kernel."""
        ...

    def test(self, seeds: tuple[int, ...]) -> Certification:
        """Have the worlds of these seeds built and certified by the platform."""
        ...

    def render(self, world: AuthorWorld, *, machine: bool) -> None:
        """Show a picture of a world."""
        ...

    def submit(self) -> NoReturn:
        """Submit the benchmark's files and end the cell."""
        ...

    def refuse(self, reason: str) -> NoReturn:
        """Give the plan up and end the cell."""
        ...


_connected: list[AuthorHost] = []


def connect(host: AuthorHost) -> None:
    """Connect this process to its host."""
    _connected[:] = [host]


def author_host(caller: str) -> AuthorHost:
    """Return the host; raise `NotConnectedError`, which names the calling function, in other processes."""
    if not _connected:
        raise NotConnectedError(f"{caller} works only in a cell of an author's kernel")
    return _connected[0]
