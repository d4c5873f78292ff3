"""Time to film and animate a run of 10 s: `./run perf media [--repetitions 3]`.

The machine has ten parts: five motors swing arms of 10,000 triangles each on five posts. Prints wall time and CPU time
in Markdown, and the goals; the exit code is always 0.
"""

import argparse
import time
from collections.abc import Callable
from statistics import median
from typing import TypeVar

import numpy as np
from contracts.models.benchmark import Payload
from contracts.models.geometry import Box, Vector
from contracts.models.mechanism import Oscillation
from contracts.models.scene import Body, BoxGeom, Drive, LoadedJoint, MassProperties, Scene, Surface
from sim_worker.media.animated_glb import animated_glb
from sim_worker.media.film import Film, SceneRenderer, VideoFormat
from sim_worker.media.moments import key_moments
from sim_worker.media.motion import Motion
from sim_worker.simulator import SimulationSettings, Simulator

from tests.support.measurements import setting, table

T = TypeVar("T")
ARMS, GRID = 5, (50, 100)
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
PACKAGES = ("mujoco", "numpy", "av", "pydantic")
RUN_S = 10.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time to film and animate a run.")
    parser.add_argument("--repetitions", type=int, default=3)
    repetitions = parser.parse_args().repetitions
    experiment = Simulator(threads=1).simulate(machine(), SimulationSettings(replicas=1, seed=0))
    motion = Motion.of(experiment.trajectory)
    form = VideoFormat()
    drawn = SceneRenderer(experiment.world.scene, motion, form)
    chosen = key_moments(experiment.result.events, 0.0, float(motion.time_s[-1]))
    rows = [
        measured("MP4, WebP", lambda: drawn.film(chosen), repetitions, "<= 5 s", _film_size),
        measured(f"poster, {len(chosen)} key frames, sheet", lambda: drawn.stills(chosen), repetitions, "", _size),
        measured("GLB", lambda: animated_glb(experiment.world.scene, motion), repetitions, "<= 0.3 s", len),
        measured("npz", experiment.trajectory.as_npz, repetitions, "", len),
    ]
    print(f"# Media\n\n{setting(PACKAGES)}\n")
    triangles = 2 * GRID[0] * GRID[1] * ARMS
    print(f"A run of {motion.time_s[-1]:.1f} s, {form.width} x {form.height}, {triangles} triangles.\n")
    print(table(("what", "median s", "least s", "least CPU s", "bytes", "goal"), rows))


def measured(
    name: str, make: Callable[[], T], repetitions: int, goal: str, size: Callable[[T], object]
) -> tuple[str, ...]:
    """Make it several times; return a line of the table."""
    walls: list[float] = []
    cpus: list[float] = []
    made = make()
    for _ in range(repetitions):
        wall, cpu = time.perf_counter(), time.process_time()
        made = make()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    figures = f"{median(walls):.3f}", f"{min(walls):.3f}", f"{min(cpus):.3f}"
    return (name, *figures, str(size(made)), goal)


def _film_size(film: Film) -> str:
    return f"{len(film.video_mp4)}, {len(film.clip_webp)}"


def _size(stills: object) -> int:
    return len(getattr(stills, "contact_sheet_png", b""))


def machine() -> Scene:
    """Return five driven arms beside each other, and a cube that lies on a table out of their reach."""
    numbers = range(ARMS)
    return Scene(
        bodies=(
            _box("table", (0, 0, -10), (1400, 700, 20)),
            *(_box(f"post_{number}", _at(number, 40), (30, 30, 80)) for number in numbers),
            *(_arm(f"arm_{number}", _at(number, 100)) for number in numbers),
        ),
        joints=tuple(_hinge(number) for number in numbers),
        drives=tuple(_motor(number) for number in numbers),
        touching=tuple((f"post_{number}", f"arm_{number}") for number in numbers),
        payload=Payload(shape="cube", size_mm=40, start_mm=(0, 250, 20), density_kg_m3=1000, friction=0.5),
        goal_zone=Box(min_mm=(500, 200, 0), max_mm=(600, 300, 60)),
        forbid_zones=(),
        build_zone=Box(min_mm=(-650, -150, 0), max_mm=(650, 150, 200)),
        bounds=Box(min_mm=(-800, -500, -100), max_mm=(800, 500, 500)),
        hold_s=0.5,
        duration_s=RUN_S,
    )


def _at(number: int, height_mm: float) -> Vector:
    return (250.0 * (number - (ARMS - 1) / 2), 0.0, height_mm)


def _box(label: str, center_mm: Vector, size_mm: Vector) -> Body:
    geom = BoxGeom(center_mm=center_mm, quaternion=UPRIGHT, size_mm=size_mm)
    return Body(label=label, origin="environment", geoms=(geom,), friction=0.5)


def _arm(label: str, center_mm: Vector) -> Body:
    geom = BoxGeom(center_mm=center_mm, quaternion=UPRIGHT, size_mm=(200, 20, 20))
    mass = MassProperties(mass_kg=0.1, center_mm=center_mm, inertia_kg_m2=(7e-6, 3.4e-4, 3.4e-4, 0, 0, 0))
    color = (0.2, 0.42, 0.72, 1.0)
    surface = _pebble(np.array(center_mm))
    return Body(label=label, origin="design", geoms=(geom,), friction=0.3, mass=mass, surface=surface, color_rgba=color)


def _pebble(center_mm: np.ndarray) -> Surface:
    """Return a long ellipsoid of many triangles."""
    rows, columns = GRID
    polar, around = np.meshgrid(np.linspace(0, np.pi, rows + 1), np.linspace(0, 2 * np.pi, columns + 1), indexing="ij")
    x, y, z = np.cos(polar) * 100, np.sin(polar) * np.cos(around) * 10, np.sin(polar) * np.sin(around) * 10
    corner = np.arange((rows + 1) * (columns + 1)).reshape(rows + 1, columns + 1)
    a, b, c, d = corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]
    halves = [np.stack(half, axis=-1).reshape(-1, 3) for half in ((a, b, c), (a, c, d))]
    vertices = np.stack([x, y, z], axis=-1).reshape(-1, 3) + center_mm
    return Surface(
        vertices_mm=vertices.astype("<f4").tobytes(), triangles=np.concatenate(halves).astype("<i4").tobytes()
    )


def _hinge(number: int) -> LoadedJoint:
    return LoadedJoint(
        label=f"hinge_{number}",
        kind="revolute",
        parent=f"post_{number}",
        child=f"arm_{number}",
        anchor_mm=_at(number, 80),
        angle_range_deg=(-80.0, 80.0),
    )


def _motor(number: int) -> Drive:
    return Drive(
        label=f"post_{number}",
        joint=f"hinge_{number}",
        mode="position",
        nominal_voltage_v=6.0,
        stall_torque_n_m=1.0,
        no_load_speed_rad_s=8.0,
        stall_current_a=2.0,
        continuous_torque_n_m=0.5,
        thermal_limit_s=5.0,
        control=Oscillation(amplitude=40.0, frequency_hz=0.5),
    )


if __name__ == "__main__":
    main()
