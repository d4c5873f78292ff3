"""What is asked about a solid, and the answer: models that cross into a process of their own as JSON.

Units are mm, N, MPa and kg; coordinates are those of the solid's file.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeFloat, PositiveFloat, PositiveInt

Vector = tuple[float, float, float]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, ser_json_bytes="base64", val_json_bytes="base64")


class ElasticMaterial(_Model):
    """A linear elastic material, equal in all directions."""

    modulus_mpa: PositiveFloat
    poisson: Annotated[float, Field(ge=0.0, lt=0.5)]
    density_kg_m3: PositiveFloat
    limit_mpa: PositiveFloat
    """Admissible stress by von Mises."""


class BoxRegion(_Model):
    """The part of the surface that lies in a rotated box."""

    kind: Literal["box"] = "box"
    center_mm: Vector
    axes: tuple[Vector, Vector, Vector] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    half_mm: Vector
    neighbor_mm: bytes = b""
    """Triangles of a neighbour, packed little-endian float32, three corners each: of the surface, only what is on them
    counts. Empty, or nothing lies on them: all that lies in the box."""


class BallRegion(_Model):
    """The part of the surface that lies in a ball."""

    kind: Literal["ball"] = "ball"
    center_mm: Vector
    radius_mm: PositiveFloat


class RodRegion(_Model):
    """The part of the surface that lies within a distance of a line: the bore around a pin."""

    kind: Literal["rod"] = "rod"
    center_mm: Vector
    axis: Vector
    half_length_mm: PositiveFloat
    radius_mm: PositiveFloat


Region = Annotated[BoxRegion | BallRegion | RodRegion, Field(discriminator="kind")]


class FixedRegion(_Model):
    """A region of the surface that does not move along some axes of the coordinates."""

    kind: Literal["support"] = "support"
    region: Region
    holds: tuple[bool, bool, bool] = (True, True, True)


class Load(_Model):
    """A force and a moment on a region, as its neighbour passes them on."""

    kind: Literal["load"] = "load"
    region: Region
    force_n: Vector
    moment_n_mm: Vector = (0.0, 0.0, 0.0)
    """About the region's centre."""
    is_stiff: bool = False
    """Whether the neighbour keeps the region's shape, as a glued block does; else the load is spread linearly."""
    is_contact: bool = False
    """Whether the neighbour only presses on the region: how it dents the solid there is left out of the peak stress."""
    spot: Annotated[float, Field(ge=1.0)] = 1.0
    """By how much more stress counts as admissible around a contact."""
    thickness_mm: PositiveFloat | None = None
    """How thick the solid is under a contact; None: as in the mean."""
    is_seat: bool = False
    """Whether the region holds the part: deflection is measured from where it stays."""


class Pressure(_Model):
    """A pressure on a region, against its surface."""

    kind: Literal["pressure"] = "pressure"
    region: Region
    mpa: float


Action = Annotated[FixedRegion | Load | Pressure, Field(discriminator="kind")]


class MeshLimits(_Model):
    """How far an analysis goes."""

    change: PositiveFloat = 0.05
    """Of the peak stress by one refinement, below which the answer is accepted."""
    refinements: PositiveInt = 3
    enough_mpa: NonNegativeFloat = 0.0
    """A peak stress below it needs no refinement."""
    elements: PositiveInt = 20_000
    """No finer mesh is made beyond so many."""


class Analysis(_Model):
    """A solid and everything that acts on it. Without supports, inertia balances the loads."""

    brep: str
    """A STEP file, or OCCT's text format."""
    material: ElasticMaterial
    actions: tuple[Action, ...]
    limits: MeshLimits = MeshLimits()
    size_mm: PositiveFloat | None = None
    """Of elements; None: from the solid's thickness."""
    natural_frequency: bool = False
    buckling: bool = False
    picture: bool = False


class StressPicture(_Model):
    """The surface with its stress, for images: packed little-endian arrays."""

    vertices_mm: bytes
    """float32, three a vertex."""
    triangles: bytes
    """int32, three a triangle."""
    stress_mpa: bytes
    """float32, one a vertex."""


class AnalysisResult(_Model):
    """What a solid bears."""

    peak_stress_mpa: NonNegativeFloat
    """By von Mises, at the surface; at supports, loads and sharp inner corners the mean over half the thickness."""
    peak_at_mm: Vector
    safety_factor: PositiveFloat
    """Admissible stress over peak stress."""
    deflection_mm: NonNegativeFloat
    """Largest displacement from where supports, or seats, hold the solid."""
    deflection_at_mm: Vector
    yields_mm: tuple[float, ...]
    """Of each action: by how much its region moves along its force, measured as deflection is; 0 of supports."""
    thicknesses_mm: tuple[float, ...]
    """Of each action: how thick the solid is at its region."""
    volume_mm3: PositiveFloat
    peak_thickness_mm: PositiveFloat
    """How thick the solid is there."""
    seen_share: Annotated[float, Field(ge=0.0, le=1.0)]
    """Of the surface's nodes: the others are dented by contacts."""
    change: NonNegativeFloat
    """Of the peak stress by the last refinement; 0 if none was needed."""
    has_converged: bool
    elements: PositiveInt
    natural_frequency_hz: NonNegativeFloat | None = None
    """Lowest; without supports, of the free solid. None: not requested."""
    buckling_factor: PositiveFloat | None = None
    """By which the loads may grow before the solid buckles. None: not requested, or no load buckles it."""
    picture: StressPicture | None = None


class Failure(_Model):
    """Why there is no answer."""

    reason: Literal["unreadable", "not_meshed", "too_fine", "unstable", "out_of_time", "crashed"]
    detail: str
