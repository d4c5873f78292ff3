"""A small world for kernels: a floor, a goal, a marble."""

from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Assignment, Limits, Payload, Variant
from contracts.models.geometry import Box

ENVIRONMENT_CODE = """
from build123d import Box, Compound, Pos

def build(variant):
    floor = Pos(0, 0, -5) * Box(400, 400, 10)
    floor.label = "floor"
    return Compound(label="environment", children=[floor])
"""

GOOD_SCRIPT = """
from build123d import *
from utils import ManufacturingMethod

plate = Pos(0, 0, 5) * Box(60, 40, 10)
plate.label = "plate"
plate.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}
assembly = Compound(label="machine", children=[plate])
"""


def assignment(environment_code: ArtifactRef) -> Assignment:
    """Return the world's assignment."""
    variant = Variant(
        benchmark="table",
        title="Table",
        description="Keep the marble on the table.",
        seed=0,
        level=1,
        bounds=Box(min_mm=(-200, -200, -20), max_mm=(200, 200, 300)),
        build_zone=Box(min_mm=(-100, -100, 0), max_mm=(100, 100, 100)),
        goal_zone=Box(min_mm=(-90, -90, 0), max_mm=(90, 90, 60)),
        payload=Payload(shape="ball", size_mm=10, start_mm=(0, 0, 150), density_kg_m3=1180, friction=0.4),
        environment_code=environment_code,
    )
    return Assignment(variant=variant, limits=Limits(max_unit_price_usd=100, max_mass_kg=1), quantity=100)
