"""From judged solids to what physics needs to know."""

from collections.abc import Sequence

from contracts.benchmark import Variant
from contracts.scene import Body, BoxGeom, Scene
from kernel.materials import ENVIRONMENT_FRICTION

from cad_worker.bodies import Block, Part
from cad_worker.exports.colors import ENVIRONMENT, finish_of
from cad_worker.geometry.boxes import OrientedBox, vector


def make_scene(variant: Variant, environment: Sequence[Block], parts: Sequence[Part]) -> Scene:
    """Return the world of a variant with a design in it. Every part must be a box of a known material."""
    return Scene(
        bodies=(*(_environment_body(block) for block in environment), *(_design_body(part) for part in parts)),
        payload=variant.payload,
        goal_zone=variant.goal_zone,
        forbid_zones=variant.forbid_zones,
        build_zone=variant.build_zone,
        bounds=variant.bounds,
        hold_s=variant.hold_s,
        duration_s=variant.duration_s,
    )


def _environment_body(block: Block) -> Body:
    return Body(
        label=block.label,
        origin="environment",
        geoms=(_geom(block.box),),
        friction=ENVIRONMENT_FRICTION,
        color_rgba=ENVIRONMENT.rgba,
    )


def _design_body(part: Part) -> Body:
    if part.box is None or part.material is None:
        raise ValueError(f"{part.label} is no box of a known material; judge the design before making a scene of it")
    return Body(
        label=part.label,
        origin="design",
        geoms=(_geom(part.box),),
        friction=part.material.friction,
        color_rgba=finish_of(part.material.id, part.label).rgba,
    )


def _geom(box: OrientedBox) -> BoxGeom:
    return BoxGeom(center_mm=vector(box.center_mm), quaternion=box.quaternion, size_mm=vector(box.size_mm))
