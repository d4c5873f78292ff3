"""Records of certified worlds: one line of JSON each, so that an interrupted certification resumes where it was."""

from hashlib import sha256
from pathlib import Path

from benchmarks.loader import BASELINE, CODE, file_of, read_witness
from benchmarks.regular_file import read_regular_file
from contracts.model import Model
from pydantic import NonNegativeFloat, PositiveInt

from cli.certification.baseline import BaselineReport
from cli.certification.certificates import Certificate
from cli.json_lines import append_line, read_lines

SOLVES_ITSELF = "solves_itself:"
Key = tuple[str, str, int]
"""Digest of the benchmark's files, world, replicas."""


class WorldRecord(Model):
    """What is known of one world of a benchmark."""

    benchmark: str
    level: PositiveInt
    digest: str
    """Of the benchmark's file, its environment, its witness and the baseline."""
    world: str
    """`seed 3`; or `files`, if they could not be loaded."""
    replicas: PositiveInt
    is_valid: bool
    solves_itself: bool
    is_solved: bool
    """Whether the witness solves the nominal run."""
    is_robust: bool
    """Whether the world is certified: nominal run and replicas."""
    fault: str
    """Why it is not certified."""
    success_rate: NonNegativeFloat
    unit_price_usd: NonNegativeFloat | None
    mass_kg: NonNegativeFloat | None
    is_solved_by_baseline: bool
    baseline_problem: str
    time_s: NonNegativeFloat

    @property
    def key(self) -> Key:
        """What the record is valid for."""
        return self.digest, self.world, self.replicas


def digest_of(name: str) -> str:
    """Return the digest of all that decides about certificates; raise `BenchmarkError` or `OSError`."""
    file = file_of(name)
    witness = read_witness(file).encode()
    parts = (read_regular_file(file), read_regular_file(file.with_name(CODE)), witness, BASELINE.read_bytes())
    return sha256(b"\0".join(sha256(part).digest() for part in parts)).hexdigest()


def world_record(  # noqa: PLR0913 - what was measured
    certificate: Certificate,
    baseline: BaselineReport,
    *,
    benchmark: str,
    level: int,
    digest: str,
    replicas: int,
    time_s: float,
) -> WorldRecord:
    """Return the record of a certificate."""
    world, bill, result = certificate.world, certificate.bill, certificate.result
    return WorldRecord(
        benchmark=benchmark,
        level=level,
        digest=digest,
        world=world.name,
        replicas=replicas,
        is_valid=not world.fault,
        solves_itself=world.fault.startswith(SOLVES_ITSELF),
        is_solved=result is not None and result.verdict == "solved",
        is_robust=not certificate.fault,
        fault=certificate.fault,
        success_rate=0.0 if result is None else result.success_rate,
        unit_price_usd=None if bill is None else bill.unit_price_usd,
        mass_kg=None if bill is None else bill.mass_kg,
        is_solved_by_baseline=baseline.is_solved,
        baseline_problem=baseline.problem,
        time_s=time_s,
    )


class RecordFile:
    """A file of records, to which each is appended as it is known; without a path nothing is kept."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.known = {} if path is None else {each.key: each for each in read_lines(path, WorldRecord, "--resume")}

    def append(self, record: WorldRecord) -> None:
        """Keep a record."""
        self.known[record.key] = record
        if self._path is not None:
            append_line(self._path, record)
