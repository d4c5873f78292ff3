"""Certifies every built-in benchmark, several worlds at a time."""

import os
import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from benchmarks.loader import BenchmarkError, file_of, load, read_witness
from cad_worker.host import KernelHost
from sim_worker.simulator import Simulator

from cli.certification.baseline import BaselineReport, try_baseline
from cli.certification.certificates import Certificate, certify_world
from cli.certification.records import WorldRecord, digest_of, world_record
from cli.certification.world_checks import World, WorldReport
from cli.concurrency import finished


@dataclass(frozen=True)
class PlannedWorld:
    """A world that is to be certified."""

    benchmark: str
    digest: str
    name: str
    world: World
    witness: str
    replicas: int


def planned_worlds(
    names: Sequence[str], seeds: Sequence[int], replicas: int
) -> tuple[list[PlannedWorld], list[WorldRecord]]:
    """Return the worlds of all benchmarks, and the records of benchmarks whose files cannot be loaded."""
    planned: list[PlannedWorld] = []
    broken: list[WorldRecord] = []
    for name in names:
        try:
            witness, digest = read_witness(file_of(name)), digest_of(name)
            loaded = {seed: load(name, seed) for seed in seeds}
        except (BenchmarkError, OSError) as error:
            broken.append(_broken(name, str(error), replicas))
            continue
        planned += [
            PlannedWorld(name, digest, f"seed {seed}", (each, each.variant), witness, replicas)
            for seed, each in loaded.items()
        ]
    return planned, broken


def _broken(name: str, fault: str, replicas: int) -> WorldRecord:
    certificate = Certificate(WorldReport("files", fault), fault)
    return world_record(
        certificate, BaselineReport(), benchmark=name, level=1, digest="", replicas=replicas, time_s=0.0
    )


def certify_all(planned: Sequence[PlannedWorld], host: KernelHost) -> AsyncGenerator[WorldRecord]:
    """Yield the record of each world as it is known, a world at a time for each core."""
    simulator = Simulator(threads=1)
    return finished((_certify(each, host, simulator) for each in planned), os.cpu_count() or 1)


async def _certify(planned: PlannedWorld, host: KernelHost, simulator: Simulator) -> WorldRecord:
    began_s = time.monotonic()
    world, replicas = planned.world, planned.replicas
    certificate = await certify_world(planned.name, world, planned.witness, replicas, host, simulator)
    baseline = BaselineReport(problem="the world is not valid")
    if not certificate.world.fault:
        baseline = await try_baseline(world, replicas, host, simulator)
    return world_record(
        certificate,
        baseline,
        benchmark=planned.benchmark,
        level=world[0].file.level,
        digest=planned.digest,
        replicas=replicas,
        time_s=round(time.monotonic() - began_s, 2),
    )
