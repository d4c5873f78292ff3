"""A benchmark-generator with a scripted model, and the files of a benchmark."""

import json
from typing import Any
from uuid import UUID, uuid4

from artifacts.testing import FakeArtifacts
from benchmark_generator.policy import BenchmarkGenerator
from benchmark_generator.publication import Publications
from benchmarks.loader import CODE, FILE, TEMPLATE, WITNESS
from chassis.testing import FakeBus
from contracts.envelope import Event, Request, answering, opening
from contracts.events.benchmark import (
    BenchmarkBrief,
    BenchmarkDrafted,
    BenchmarkPlanApproved,
    BenchmarkPlanProposed,
    BenchmarkRequested,
    BenchmarkSessionRequested,
    DraftApproved,
    DraftBuilt,
    DraftCertified,
    WorldCertificate,
)
from contracts.events.session import (
    CellCompleted,
    CellRequested,
    FileEditRequested,
    FileViewed,
    FileViewRequested,
    FileWriteRequested,
    FileWritten,
    SessionOpened,
)
from contracts.models.benchmark import BenchmarkFiles
from contracts.models.observation import Observation
from contracts.models.submission import Refusal
from langchain_core.messages import AIMessage
from store.benchmarks import GeneratedBenchmark

from tests.agent.role_harness import RoleHarness, Script
from tests.contracts.example_values import digest

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
        **opening(run_id, "benchmark", "benchmark-generator", "cli"),
        brief=brief,
        model="scripted",
    )


class FakeWorkspace:
    """Answers files and cells as an author's session does; a cell submits if it calls `submit_for_review`."""

    def __init__(self) -> None:
        self.files = dict(TEXTS)

    def answer(self, request: Request) -> Event:
        """Return the outcome of a request."""
        match request:
            case FileWriteRequested():
                return self._written(request, request.text)
            case FileEditRequested():
                text = self.files[request.path].replace(request.old_text, request.new_text)
                return self._written(request, text)
            case FileViewRequested():
                text = self.files[request.path]
                return FileViewed(
                    **answering(request, "cad-worker"),
                    path=request.path,
                    text=text,
                    from_line=1,
                    total_lines=text.count("\n"),
                )
            case CellRequested():
                return self._completed(request)
            case _:
                raise AssertionError(request)

    def _written(self, request: FileWriteRequested | FileEditRequested, text: str) -> FileWritten:
        self.files[request.path] = text
        return FileWritten(
            **answering(request, "cad-worker"), path=request.path, size_bytes=len(text), sha256=digest(text), text=text
        )

    def _completed(self, request: CellRequested) -> CellCompleted:
        fields: dict[str, Any] = {}
        if "submit_for_review()" in request.code:
            texts = {"benchmark_yaml": FILE, "environment_py": CODE, "witness_py": WITNESS}
            fields["files"] = BenchmarkFiles(**{field: self.files[path] for field, path in texts.items()})
        if "refuse_plan(" in request.code:
            fields["ending"] = Refusal(proof=request.code)
        if "test(" in request.code:
            fields |= {"simulations": 1, "simulated_md": "| seed | verdict |"}
        seen = Observation(status="ok", output="fine", output_chars=4, elapsed_s=0.1)
        return CellCompleted(**answering(request, "cad-worker"), observation=seen, **fields)


class GeneratorHarness(RoleHarness):
    """The role with its table and its blobs."""

    def __init__(self, script: Script, problem: str | None = None, table: MemoryTable | None = None) -> None:
        self.table, self.artifacts, bus = table or MemoryTable(), FakeArtifacts(), FakeBus()
        self.workspace = FakeWorkspace()
        publications = Publications(self.artifacts, self.table)
        policy = BenchmarkGenerator(lambda _, /: problem, bus, publications, self.artifacts)
        super().__init__(policy, script, bus)

    async def planned(self, request: BenchmarkRequested) -> BenchmarkPlanProposed:
        """Return the plan that the request leads to."""
        (proposed,) = await self.consume(request)
        assert isinstance(proposed, BenchmarkPlanProposed)
        return proposed

    async def opened(self, request: BenchmarkRequested) -> list[Any]:
        """Approve the plan and open the kernel; return what is decided then."""
        approved = BenchmarkPlanApproved(**answering(await self.planned(request), "critic"), review_md="good")
        (session,) = await self.consume(approved)
        assert isinstance(session, BenchmarkSessionRequested)
        return await self.consume(SessionOpened(**answering(session, "cad-worker"), ready_s=0.1, files=tuple(TEXTS)))

    async def drafted(self, request: BenchmarkRequested) -> BenchmarkDrafted:
        """Open the kernel, and return the first draft."""
        return await self.until_drafted(await self.opened(request))

    async def until_drafted(self, decided: list[Any]) -> BenchmarkDrafted:
        """Answer what the role requests of its kernel until it submits a draft."""
        while not any(isinstance(each, BenchmarkDrafted) for each in decided):
            decided = await self.step(decided)
        return next(each for each in decided if isinstance(each, BenchmarkDrafted))

    async def step(self, decided: list[Any]) -> list[Any]:
        """Answer the last thing that was decided, and return what follows."""
        asked = decided[-1]
        if isinstance(asked, Request):
            return await self.consume(self.workspace.answer(asked))
        return await self.threads.advance(asked)


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


def approved_draft(drafted: BenchmarkDrafted, **changes: Any) -> tuple[DraftCertified, DraftApproved]:
    """Return a draft's certificate, and its approval."""
    shared: dict[str, Any] = {
        "brief": drafted.brief,
        "model": drafted.model,
        "plan_md": drafted.plan_md,
        "draft": drafted.draft,
    }
    built = DraftBuilt(**answering(drafted, "cad-worker"), **shared, has_motion=False, worlds=())
    certified = DraftCertified(
        **answering(built, "sim-worker"), **shared, has_motion=False, worlds=(CERTIFICATE,), **changes
    )
    return certified, DraftApproved(**answering(certified, "critic"), review_md="fine")
