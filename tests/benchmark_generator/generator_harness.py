"""A benchmark-generator with a scripted model, and the files of a benchmark."""

import json
from typing import Any
from uuid import UUID, uuid4

from artifacts.testing import FakeArtifacts
from benchmark_generator.policy import BenchmarkGenerator
from benchmark_generator.publication import Publications
from benchmarks.loader import CODE, FILE, TEMPLATE, WITNESS
from chassis.testing import FakeBus
from contracts.events.benchmark import (
    BenchmarkBrief,
    BenchmarkDrafted,
    BenchmarkPlanApproved,
    BenchmarkPlanProposed,
    BenchmarkRequested,
    DraftApproved,
    DraftBuilt,
    DraftCertified,
    WorldCertificate,
)
from langchain_core.messages import AIMessage
from store.benchmarks import GeneratedBenchmark

from tests.agent.role_harness import RoleHarness, Script

TEXTS = {
    name: (TEMPLATE / name).read_text(encoding="utf-8").replace("name: NAME", "name: a-gap")
    for name in (FILE, CODE, WITNESS)
}
PLAN = {
    "task": "A ball must cross a gap.",
    "world": "A floor with a closed gap of 25 mm.",
    "mechanism": "A wedge below the ball, and a pen of walls around the goal.",
    "motion": "nothing",
    "risks": "The ball bounces: the walls are high.",
}
CERTIFICATE = WorldCertificate(
    seed=0,
    without_machine="the payload comes to rest",
    success_rate=1.0,
    replicas=32,
    reached_after_s=2.0,
    unit_price_usd=90.0,
    mass_kg=0.3,
    parts=5,
)


class MemoryTable:
    """The table of published benchmarks, in memory."""

    def __init__(self) -> None:
        self.rows: list[GeneratedBenchmark] = []

    async def publish(self, benchmark: GeneratedBenchmark) -> str:
        if any(row.run_id == benchmark.run_id for row in self.rows):
            return ""
        problem = await self.conflict(benchmark.name, benchmark.digest, benchmark.run_id)
        if not problem:
            self.rows.append(benchmark)
        return problem

    async def conflict(self, name: str, digest: str, run_id: UUID) -> str:
        taken = any(row.run_id != run_id and (row.name == name or row.digest == digest) for row in self.rows)
        return "it is published already" if taken else ""

    async def newest(self, limit: int) -> list[tuple[str, str]]:
        return [(row.name, row.title) for row in reversed(self.rows)][:limit]


def benchmark_requested(**changes: Any) -> BenchmarkRequested:
    """Return the opening of a fresh run."""
    run_id = uuid4()
    fields: dict[str, Any] = {"task": "a ball must cross a gap", "level": 1, "worlds": 1, **changes}
    brief = BenchmarkBrief(**fields)
    return BenchmarkRequested(
        id=run_id,
        run_id=run_id,
        kind="benchmark",
        role="benchmark-generator",
        producer="cli",
        brief=brief,
        model="scripted",
    )


class GeneratorHarness(RoleHarness):
    """The role with its table and its blobs."""

    def __init__(self, script: Script, problem: str | None = None, table: MemoryTable | None = None) -> None:
        self.table, self.artifacts, bus = table or MemoryTable(), FakeArtifacts(), FakeBus()
        publications = Publications(self.artifacts, self.table)
        policy = BenchmarkGenerator(lambda _, /: problem, bus, publications, self.artifacts)
        super().__init__(policy, script, bus)

    async def planned(self, request: BenchmarkRequested) -> BenchmarkPlanProposed:
        """Return the plan that the request leads to."""
        (proposed,) = await self.consume(request)
        assert isinstance(proposed, BenchmarkPlanProposed)
        return proposed

    async def drafted(self, request: BenchmarkRequested) -> BenchmarkDrafted:
        """Approve the plan, and return the first draft; answers to single files are consumed."""
        approved = BenchmarkPlanApproved.answering(await self.planned(request), "critic", review_md="good")
        decided = await self.consume(approved)
        return await self.until_drafted(decided)

    async def until_drafted(self, decided: list[Any]) -> BenchmarkDrafted:
        """Consume the role's own answers until it submits a draft."""
        while not isinstance(decided[0], BenchmarkDrafted):
            decided = await self.threads.advance(decided[0])
        return decided[0]


def plan_call() -> AIMessage:
    """Return a reply that proposes the plan."""
    return calls(("propose_plan", PLAN))


def files_calls(**changes: str) -> AIMessage:
    """Return a reply that writes all files, those named otherwise, and submits."""
    texts = {
        **TEXTS,
        **{{"yaml": FILE, "environment": CODE, "witness": WITNESS}[key]: text for key, text in changes.items()},
    }
    written = [("write_file", {"path": path, "text": text}) for path, text in texts.items()]
    return calls(*written, ("submit_for_review", {}))


def calls(*named: tuple[str, dict[str, Any]]) -> AIMessage:
    """Return a reply with these tool calls."""
    return AIMessage(
        "",
        tool_calls=[
            {"id": f"c{number}", "name": name, "args": json.loads(json.dumps(args))}
            for number, (name, args) in enumerate(named)
        ],
    )


def markdown_files() -> str:
    """Return the files as a model without tools writes them."""
    return "\n\n".join(
        f"## {path}\n\n```{'yaml' if path == FILE else 'python'}\n{text}```" for path, text in TEXTS.items()
    )


def approved_draft(drafted: BenchmarkDrafted, **changes: Any) -> tuple[DraftCertified, DraftApproved]:
    """Return a draft's certificate, and its approval."""
    shared = {"brief": drafted.brief, "model": drafted.model, "plan_md": drafted.plan_md, "draft": drafted.draft}
    built = DraftBuilt.answering(drafted, "cad-worker", **shared, has_motion=False, worlds=())
    certified = DraftCertified.answering(
        built, "sim-worker", **shared, has_motion=False, worlds=(CERTIFICATE,), **changes
    )
    return certified, DraftApproved.answering(certified, "critic", review_md="fine")
