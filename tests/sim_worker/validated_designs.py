"""Designs that cad-worker found valid, as sim-worker receives them."""

from collections.abc import Mapping
from uuid import UUID

from contracts.events.design import DesignValidated
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Assignment, Limits, Variant
from contracts.models.design import BillOfMaterials, Delivery
from contracts.models.scene import Scene

RUN = UUID(int=1)
NOWHERE = ArtifactRef(sha256="0" * 64, media_type="application/zip", size_bytes=0)
NONE: Mapping[str, ArtifactRef] = {}


def validated_design(scene: Scene, ref: ArtifactRef, part_steps: Mapping[str, ArtifactRef] = NONE) -> DesignValidated:
    """Return the design of a stored scene, with the STEP files of its parts."""
    variant = Variant(
        benchmark="chute",
        title="Chute",
        description="",
        seed=7,
        level=1,
        bounds=scene.bounds,
        build_zone=scene.build_zone,
        goal_zone=scene.goal_zone,
        payload=scene.payload,
        environment_code=NOWHERE,
    )
    return DesignValidated(
        id=UUID(int=3),
        run_id=RUN,
        role="engineer",
        producer="test",
        assignment=Assignment(variant=variant, limits=Limits()),
        model="offline",
        scene=ref,
        delivery=Delivery(script=NOWHERE, digest="0" * 64, step=NOWHERE, part_steps=dict(part_steps), glb=NOWHERE),
        bill=BillOfMaterials(lines=(), quantity=1, unit_price_usd=0, mass_kg=0),
        replicas=8,
    )
