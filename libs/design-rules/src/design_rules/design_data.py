"""Designs and environments as data: B-rep and texts, as an untrusted kernel exported them."""

import hashlib
from typing import Annotated

from contracts.models.artifact import Sha256
from contracts.models.benchmark import Assignment, Solid, Variant
from contracts.models.geometry import Vector
from contracts.models.mechanism import Mechanism
from geometry.collision.results import CollisionGeometry
from pydantic import Field
from sandbox.channels.wire_model import WireModel


def solid_source(brep: bytes, number: int = 0) -> str:
    """Return the key of results that were computed from a solid: a digest of its B-rep file, and its position in it.

    Equal bytes are equal geometry, so the host needs to read none.
    """
    return f"{hashlib.sha256(brep).hexdigest()}:{number}"


ShapesBySource = dict[str, CollisionGeometry]
"""Collision shapes by `solid_source`; only clean children compute them."""


MAX_SHAPES = 2000
"""Of a design or an environment, as data; a design with more than 500 parts gets a finding."""
MAX_DESIGN_BYTES = 12 << 20
"""Of the B-rep of all parts of a design together; with its environment it must fit into a message."""
TEXT_CHARS = 200
"""Of a label or another text of a part; longer ones are cut, and are invalid anyway."""
ShortText = Annotated[str, Field(max_length=TEXT_CHARS)]


class PartData(WireModel):
    """One child of an assembly, as the untrusted kernel exported it. Only its geometry is trusted."""

    label: ShortText
    kind: ShortText
    """Class of the child, e.g. `Part`, `Solid`, `Box`."""
    brep: bytes
    """In world coordinates, in OCCT's B-rep format."""
    manufacturing_method: ShortText | None = None
    material_id: ShortText | None = None
    catalog_id: ShortText | None = None
    """Of a bought part; its geometry must be the catalog's."""
    tolerance_class: ShortText | None = None
    """Of ISO 2768; None is medium."""
    is_mountable: bool = True
    """Of a solid of the environment: whether parts may be glued or fastened to it."""
    is_loose: bool = False
    """Of a solid of the environment: whether it lies free."""
    is_moving: bool = False
    """Of a loose one: whether it may move from the start."""


class DesignData(WireModel):
    """An assembly, or an environment, as data."""

    parts: Annotated[tuple[PartData, ...], Field(max_length=MAX_SHAPES)]
    mechanism: Mechanism = Mechanism()
    """As the kernel declared it, unchecked."""


class EnvironmentGeometry(WireModel):
    """The environment as it was built for the run."""

    brep: bytes
    """Compound of all solids, in the order of `solids`."""
    solids: tuple[Solid, ...]
    digest: Sha256
    """As `build_environment` computed it."""
    mechanism: Mechanism = Mechanism()
    payload_hull_mm: tuple[Vector, ...] = ()
    """Corners of a payload that is a solid."""
    more_payload_hulls_mm: tuple[tuple[Vector, ...], ...] = ()
    """The same of each further payload; empty if none of them is a solid."""

    def with_payload(self, variant: Variant) -> Variant:
        """Return the variant with the payloads as the environment's code built them."""
        hulls_mm = (self.payload_hull_mm, *(self.more_payload_hulls_mm or ((),) * len(variant.more_payloads)))
        first, *more = (
            payload.model_copy(update={"hull_mm": hull_mm})
            for payload, hull_mm in zip(variant.payloads, hulls_mm, strict=True)
        )
        changes: dict[str, object] = {"payload": first, "more_payloads": tuple(more)}
        return variant.model_copy(update=changes)

    def with_payload_of(self, assignment: Assignment) -> Assignment:
        """Return the assignment with the payload as the environment's code built it."""
        return assignment.model_copy(update={"variant": self.with_payload(assignment.variant)})


class DesignRequest(WireModel):
    """A design, its environment and its assignment."""

    design: DesignData
    environment: EnvironmentGeometry
    assignment: Assignment
    known: ShapesBySource = Field(default_factory=ShapesBySource)
    """Collision shapes that were computed before."""
