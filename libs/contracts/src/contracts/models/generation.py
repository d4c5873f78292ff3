"""A benchmark that is being generated: the order of a user, its files, and the certificates of its worlds."""

from typing import Annotated, Literal

from pydantic import Field, FiniteFloat, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from contracts.model import Model
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Limits, Variant
from contracts.models.label import Label

MOVING_FACTOR = 4
"""Worlds in which something of the environment moves are certified under so many times the seeds: they fail more
easily."""


class BenchmarkOrder(Model):
    """What a user orders from the benchmark-generator."""

    task: str
    """What the benchmark is to be about, in the user's words."""
    level: Literal[1, 2, 3]
    seed: NonNegativeInt = 0
    """Decides what an author that draws at random invents; a language model reads it as a number of its order."""
    worlds: Annotated[int, Field(ge=1, le=16)] = 4
    """How many seeds are certified, from 0; four times as many if something of the environment moves."""
    replicas: PositiveInt = 32
    """Of each world."""
    max_plans: PositiveInt = 3
    max_drafts: PositiveInt = 4
    max_steps: PositiveInt = 60
    """Maximum number of the generator's model calls."""
    deadline_s: PositiveFloat = 3600.0
    """Wall-clock time from the request."""

    @property
    def most_worlds(self) -> int:
        """How many worlds are certified if something moves."""
        return MOVING_FACTOR * self.worlds


class BenchmarkFiles(Model):
    """The texts of a benchmark's folder."""

    benchmark_yaml: str = ""
    environment_py: str = ""
    witness_py: str = ""


class BuiltWorld(Model):
    """A world of a draft: its environment is built, and its witness is a valid design."""

    seed: NonNegativeInt
    environment_scene: ArtifactRef
    """The `Scene` of the environment and the payload alone, as JSON."""
    witness_scene: ArtifactRef
    """The `Scene` with the witness, as JSON."""
    unit_price_usd: NonNegativeFloat
    mass_kg: NonNegativeFloat
    parts: NonNegativeInt


class WorldCertificate(Model):
    """A certified world: it needs a machine, and its witness solves it robustly."""

    seed: NonNegativeInt
    without_machine: str
    """What happens to the payload when nothing is built, and how far parts of the environment move."""
    success_rate: FiniteFloat
    replicas: PositiveInt
    reached_after_s: NonNegativeFloat
    """In the nominal run."""
    unit_price_usd: NonNegativeFloat
    mass_kg: NonNegativeFloat
    parts: NonNegativeInt


Stage = Literal["environment", "witness", "world", "simulation"]
"""Where a draft fails: the environment cannot be built; the witness is not a valid design; the world is not sound, or
needs no machine; the witness does not solve it."""


class DraftFinding(Model):
    """Why a draft cannot be published."""

    stage: Stage
    seed: NonNegativeInt
    detail: str


class Draft(Model):
    """A benchmark that was written, and its worlds under the first seeds."""

    name: Label
    title: str
    files: BenchmarkFiles
    variants: tuple[Variant, ...]
    """Of the seeds from 0, as many as are certified if something moves."""
    limits: Limits
