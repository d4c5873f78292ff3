"""Fixtures: a small environment, a floor and a wall, and designs in it. A conftest.py imports those that it needs."""

import pytest
from cad_worker.job_protocol import EnvironmentBuild, EnvironmentGeometry
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Payload, Variant, Zone
from contracts.models.geometry import Box, Vector

from tests.support.designs import Designs
from tests.support.environment_build import build_from_script

ENVIRONMENT = """
from build123d import Box, Compound, Pos

def build(variant):
    floor = Pos(0, 0, -5) * Box(400, 400, 10)
    floor.label = "floor"
    wall = Pos(195, 0, 50) * Box(10, 400, 100)
    wall.label = "wall"
    return Compound(label="world", children=[floor, wall])
"""


def _box(low: Vector, high: Vector) -> Box:
    return Box(min_mm=low, max_mm=high)


@pytest.fixture(scope="session")
def variant() -> Variant:
    return Variant(
        benchmark="test-world",
        title="Test world",
        description="A floor and a wall.",
        seed=0,
        level=1,
        bounds=_box((-300, -300, -100), (300, 300, 400)),
        build_zone=_box((-150, -150, 0), (190, 150, 200)),
        goal_zone=_box((100, 100, 0), (180, 180, 80)),
        forbid_zones=(Zone(label="pit", box=_box((-150, -150, 0), (-100, -100, 50))),),
        payload=Payload(shape="ball", size_mm=40, start_mm=(0, 0, 150), density_kg_m3=1400, friction=0.3),
        environment_code=ArtifactRef(sha256="0" * 64, media_type="text/x-python", size_bytes=0),
    )


@pytest.fixture(scope="session")
def environment_build(variant: Variant) -> EnvironmentBuild:
    build = build_from_script(ENVIRONMENT, variant)
    assert build.files is not None, build.fault
    return build


@pytest.fixture(scope="session")
def environment(environment_build: EnvironmentBuild) -> EnvironmentGeometry:
    assert environment_build.files is not None
    return environment_build.files.geometry


@pytest.fixture
def designs(variant: Variant, environment: EnvironmentGeometry, environment_build: EnvironmentBuild) -> Designs:
    return Designs(variant, environment, dict(environment_build.computed))
