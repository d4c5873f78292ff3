"""The worlds of a benchmark in the making: each is built, and the witness is judged in it."""

from dataclasses import dataclass

from artifacts.port import ArtifactStore, put_json, put_steps
from contracts.events.benchmark import BuiltWorld, DraftFinding, Stage
from contracts.models.benchmark import Assignment, BenchmarkFiles, Limits, Variant
from contracts.text import shortened, storable
from sandbox.jobs import JobFailedError

from cad_worker.drafts.witness import WitnessRejectedError, judge_witness, refusal_of
from cad_worker.host import KernelHost
from cad_worker.job_protocol import EnvironmentFiles
from cad_worker.session_protocol import SessionOrder

MAX_FINDINGS = 3
"""With so many worlds that failed, no further one is examined: they mostly fail for one reason."""
DETAIL_CHARS = (2_500, 1_500)
"""First and last characters of a detail that are kept."""


@dataclass(frozen=True)
class DraftWorlds:
    """Builds the worlds of these files in confined children."""

    files: BenchmarkFiles
    limits: Limits
    host: KernelHost
    artifacts: ArtifactStore

    async def environment(self, variant: Variant) -> EnvironmentFiles | DraftFinding:
        """Run environment.py in a confined child."""
        try:
            build = await self.host.build_environment(self.files.environment_py, variant)
        except JobFailedError as error:
            return _finding("environment", variant, f"code_failed: {error}")
        if build.files is None:
            fault = build.fault
            detail = "environment.py built nothing" if fault is None else f"{fault.reason}: {fault.detail}"
            return _finding("environment", variant, detail)
        return build.files

    async def world(self, variant: Variant, built: EnvironmentFiles) -> BuiltWorld | DraftFinding:
        """Run the witness in a sandboxed kernel and judge it."""
        assignment = Assignment(variant=variant, limits=self.limits.scaled(variant.limits_factor))
        order = SessionOrder(assignment=assignment, environment=built.geometry)
        try:
            judgement = await judge_witness(self.files.witness_py, order, self.host)
        except (WitnessRejectedError, JobFailedError) as rejection:
            return _finding("witness", variant, str(rejection))
        if refusal := refusal_of(judgement):
            return _finding("witness", variant, refusal)
        assert judgement.scene is not None
        assert judgement.bill is not None
        return BuiltWorld(
            seed=variant.seed,
            environment_scene=await put_json(self.artifacts, built.scene),
            witness_scene=await put_json(self.artifacts, judgement.scene),
            part_steps=await put_steps(self.artifacts, judgement.part_steps),
            unit_price_usd=judgement.bill.unit_price_usd,
            mass_kg=judgement.bill.mass_kg,
            parts=judgement.bill.part_count,
        )


def moves(built: EnvironmentFiles) -> bool:
    """Tell whether an environment has joints or motors."""
    return bool(built.geometry.mechanism.joints or built.geometry.mechanism.motors)


def _finding(stage: Stage, variant: Variant, detail: str) -> DraftFinding:
    return DraftFinding(stage=stage, seed=variant.seed, detail=shortened(storable(detail), *DETAIL_CHARS))
