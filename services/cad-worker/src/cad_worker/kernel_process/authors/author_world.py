"""Worlds in an author's kernel: the files of the workspace become solids here, and the format's checks examine them."""

# pyright: reportUnknownMemberType=false
# build123d leaves the types of some members open.

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Literal

from benchmarks.author_texts import FIELDS, MAX_CHARS, read_texts, variant_of
from benchmarks.loader import BenchmarkError
from build123d import Compound, Location, Solid
from contracts.models.benchmark import BenchmarkFiles, Limits, Variant
from contracts.models.geometry import Box
from design_rules.bodies.payload_shape import payload_body
from design_rules.design_data import DesignData
from geometry.occt.brep import OCCT_ERRORS, UnreadableBrepError, read_brep
from kernel.api.drafts.author_host import AuthorWorld

from cad_worker.environment_script import ScriptFailedError, run_environment
from cad_worker.job_protocol import EnvironmentCheck
from cad_worker.jobs.environment import build_environment, load_environment
from cad_worker.kernel_process.authors.world_markdown import world_markdown

MAX_FAULTS = 20
NOTHING = DesignData(parts=())
FRAME_SHARE = 1 / 250
"""Thickness of a zone's frame, as a share of the longest edge of the world."""


@dataclass(frozen=True)
class KernelWorld:
    """A world, and what its picture and its machine need."""

    world: AuthorWorld
    limits: Limits
    witness_py: str = ""


def build_world(folder: Path, level: Literal[1, 2, 3], seed: int | None) -> KernelWorld:
    """Build the world of a seed from the files in the workspace; None: the nominal one."""
    files = texts_in(folder)
    try:
        file = read_texts(files, level)
        variant = variant_of(files, file, seed)
    except BenchmarkError as error:
        faults = tuple(f"{error.where}: {fault}" for fault in error.faults[:MAX_FAULTS])
        return KernelWorld(_described(AuthorWorld(seed, faults=faults), NOTHING), Limits())
    limits = file.limits.scaled(variant.limits_factor)
    return KernelWorld(_built(files.environment_py, variant, seed), limits, files.witness_py)


def texts_in(folder: Path) -> BenchmarkFiles:
    """Return the benchmark's files; a missing one is empty, and one that is too long stays so."""
    texts: dict[str, str] = {}
    for path, field in FIELDS.items():
        try:
            with (folder / path).open(encoding="utf-8", errors="replace") as file:
                texts[field] = file.read(MAX_CHARS + 1)
        except OSError:
            texts[field] = ""
    return BenchmarkFiles(**texts)


def picture_of(built: KernelWorld, machine: object) -> list[object]:
    """Return the shapes of a world's picture: solids, payloads, frames of its zones, and the machine."""
    shapes = [each for each in (built.world.environment, machine) if each is not None]
    variant = built.world.benchmark
    if variant is None:
        return shapes
    thickness = max(FRAME_SHARE * max(variant.bounds.size_mm), 0.5)
    zones = [variant.build_zone, variant.goal_zone, *(zone.box for zone in variant.forbid_zones)]
    payloads = [payload_body(payload).solid for payload in variant.payloads]
    return [*shapes, *payloads, *(bar for zone in zones for bar in _frame(zone, thickness))]


def _built(code: str, variant: Variant, seed: int | None) -> AuthorWorld:
    world = AuthorWorld(seed, variant)
    try:
        design, payloads = run_environment(code, variant)
    except ScriptFailedError as failure:
        return _described(replace(world, faults=(f"environment.py: {failure.reason}: {failure}",)), NOTHING)
    build = build_environment(EnvironmentCheck(design=design, variant=variant, payloads=payloads))
    if build.files is not None:
        geometry = build.files.geometry
        sound = replace(world, benchmark=geometry.with_payload(variant), environment=load_environment(geometry))
        return _described(sound, design)
    fault = "it built nothing" if build.fault is None else f"{build.fault.reason}: {build.fault.detail}"
    return _described(replace(world, environment=_refused(design), faults=(f"environment.py: {fault}",)), design)


def _described(world: AuthorWorld, design: DesignData) -> AuthorWorld:
    return replace(world, markdown=world_markdown(world, design))


def _refused(design: DesignData) -> Compound | None:
    """Return the solids of a refused environment, as far as they can be read."""
    solids: list[Solid] = []
    for part in design.parts:
        try:
            found = read_brep(part.brep).solids
        except (UnreadableBrepError, *OCCT_ERRORS):
            continue
        for solid in found:
            solid.label = part.label
            solids.append(solid)
    return Compound(label="environment", children=solids) if solids else None


def _frame(box: Box, thickness: float) -> Iterator[Solid]:
    """Yield the twelve edges of a box as bars."""
    low, size = box.min_mm, box.size_mm
    for axis in range(3):
        others = [each for each in range(3) if each != axis]
        edges = [thickness, thickness, thickness]
        edges[axis] = size[axis]
        for shares in product((0.0, 1.0), repeat=2):
            corner = list(low)
            for other, share in zip(others, shares, strict=True):
                corner[other] += share * size[other] - thickness / 2
            yield Solid.make_box(edges[0], edges[1], edges[2]).moved(Location((corner[0], corner[1], corner[2])))
