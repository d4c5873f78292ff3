"""Checks of a benchmark's worlds: each environment is built in the sandbox and simulated without a machine.

They are the checks that every run begins with, by the same functions, here without servers and services.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

from benchmarks.loader import LoadedBenchmark, load
from benchmarks.randomisation import Randomisation
from benchmarks.variant import extreme_variants, make_variant
from cad_worker.host import KernelHost
from cad_worker.job_protocol import EnvironmentFiles
from contracts.models.benchmark import Variant
from sandbox.jobs import JobFailedError
from sim_worker.world_check import CheckedWorld, WorldRefusedError, check_world

from cli.sandboxes import started

World = tuple[LoadedBenchmark, Variant]
"""A benchmark, and the variant at hand."""


@dataclass(frozen=True)
class WorldReport:
    """The result of checking one world."""

    name: str
    """`seed 3`, `smallest world` or `largest world`."""
    fault: str = ""
    """Reason and detail of the refusal; empty if the world is sound."""
    files: EnvironmentFiles | None = None
    """None: the environment could not be built."""
    simulated: CheckedWorld | None = None
    """None: it could not be simulated."""
    has_used_up_time: bool = False
    """Whether building it took longer than it may."""


def worlds_of(name_or_path: str, seeds: Sequence[int]) -> Mapping[str, World]:
    """Return the worlds of these seeds and the extreme ones, by name; raise `BenchmarkError`."""
    loaded = {seed: load(name_or_path, seed) for seed in seeds}
    first = loaded[seeds[0]]
    extremes = extreme_variants(first.file, first.variant.environment_code)
    return {f"seed {seed}": (each, each.variant) for seed, each in loaded.items()} | {
        f"{name} world": (replace(first, variant=variant), variant) for name, variant in extremes.items()
    }


def worlds_to_show(name_or_path: str, seeds: Sequence[int]) -> Mapping[str, World]:
    """Return the nominal world and those of these seeds, by name; raise `BenchmarkError`."""
    loaded = {seed: load(name_or_path, seed) for seed in seeds}
    first = loaded[seeds[0]]
    file = first.file.model_copy(update={"randomisation": Randomisation()})
    nominal = make_variant(file, 0, first.variant.environment_code)
    return {"nominal world": (first, nominal)} | {f"seed {seed}": (each, each.variant) for seed, each in loaded.items()}


def opened_host() -> AbstractAsyncContextManager[KernelHost]:
    """Return a host of sandboxed kernels that starts at the entry; `UserError` when this machine permits none."""
    return started(KernelHost(), "no environment can be built")


async def check_worlds(worlds: Mapping[str, World], host: KernelHost) -> AsyncGenerator[WorldReport]:
    """Yield the report of each world, up to the first that took too long to build: so would the others."""
    for name, (loaded, variant) in worlds.items():
        report = await check_one(name, loaded.environment_code, variant, host)
        yield report
        if report.has_used_up_time:
            return


async def check_one(name: str, code: bytes, variant: Variant, host: KernelHost) -> WorldReport:
    """Return the report of one world."""
    try:
        build = await host.build_environment(code.decode(), variant)
    except UnicodeDecodeError as error:
        return WorldReport(name, f"code_failed: {error}")
    except JobFailedError as error:
        return WorldReport(name, f"code_failed: {error}", has_used_up_time=bool(error.excess))
    if build.files is None:
        fault = "environment.py built nothing" if build.fault is None else f"{build.fault.reason}: {build.fault.detail}"
        return WorldReport(name, fault)
    try:
        return WorldReport(name, "", build.files, await asyncio.to_thread(check_world, build.files.scene))
    except WorldRefusedError as refusal:
        return WorldReport(name, f"{refusal.reason}: {refusal.detail}", build.files, refusal.simulated)
