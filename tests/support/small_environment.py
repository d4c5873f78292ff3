"""Fixtures: a small environment, a floor and a wall, and designs in it. A conftest.py imports those that it needs."""

from functools import cache

import pytest
from cad_worker.job_protocol import EnvironmentBuild
from contracts.models.artifact import ArtifactRef
from contracts.models.benchmark import Payload, Variant, Zone
from contracts.models.geometry import Box, Vector
from design_rules.design_data import EnvironmentGeometry

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


def make_variant() -> Variant:
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


def make_designs() -> Designs:
    build = _build()
    assert build.files is not None, build.fault
    return Designs(make_variant(), build.files.geometry, dict(build.computed))


@cache
def _build() -> EnvironmentBuild:
    return build_from_script(ENVIRONMENT, make_variant())


@pytest.fixture(scope="session")
def variant() -> Variant:
    return make_variant()


@pytest.fixture(scope="session")
def environment() -> EnvironmentGeometry:
    return make_designs().environment


@pytest.fixture
def designs() -> Designs:
    return make_designs()
