"""The world of the worked script in the engineer's prompt."""

from dataclasses import replace

from benchmarks.loader import LoadedBenchmark, load
from contracts.models.benchmark import Payload
from contracts.models.geometry import Box

ENVIRONMENT = """
from build123d import Box, Compound, Pos

def build(variant):
    floor = Pos(0, 0, -10) * Box(500, 300, 20)
    floor.label = "floor"
    return Compound(label="environment", children=[floor])
"""


def example_world() -> LoadedBenchmark:
    """Return a level world: a ball starts 100 mm above the ground and 200 mm before its goal."""
    loaded = load("gravity-chute", 0)
    changes = {
        "benchmark": "example",
        "bounds": Box(min_mm=(-250, -150, -50), max_mm=(250, 150, 300)),
        "build_zone": Box(min_mm=(-240, -100, 0), max_mm=(240, 100, 250)),
        "goal_zone": Box(min_mm=(60, -50, 0), max_mm=(160, 50, 60)),
        "forbid_zones": (),
        "payload": Payload(shape="ball", size_mm=30, start_mm=(-150, 0, 100), density_kg_m3=1180, friction=0.4),
    }
    return replace(loaded, variant=loaded.variant.model_copy(update=changes), environment_code=ENVIRONMENT.encode())
