"""Examples of the events of a generated benchmark; see `examples`."""

from contracts.envelope import Event
from contracts.events.benchmark import (
    BenchmarkDrafted,
    BenchmarkPlanApproved,
    BenchmarkPlanProposed,
    BenchmarkPlanRejected,
    BenchmarkPublished,
    BenchmarkRequested,
    DraftApproved,
    DraftBuilt,
    DraftCertified,
    DraftRefused,
    DraftRejected,
    GenerationFailed,
)
from contracts.models.generation import (
    BenchmarkFiles,
    BenchmarkOrder,
    BuiltWorld,
    Draft,
    DraftFinding,
    WorldCertificate,
)

from tests.contracts import example_values as values
from tests.contracts.worker_examples import EventsByClass

ORDER = BenchmarkOrder(
    task="a ball must cross a gap", level=2, seed=7, worlds=1, replicas=16, max_plans=2, max_drafts=5, deadline_s=900
)
PLAN = "# Benchmark plan\n\n## Task\n\nA ball crosses a gap.\n"
DRAFT = Draft(
    name="gap-7",
    title="Gap",
    files=BenchmarkFiles(benchmark_yaml="name: gap-7\n", environment_py="# environment\n", witness_py="# witness\n"),
    variants=(values.VARIANT,),
    limits=values.LIMITS,
)
CERTIFICATE = WorldCertificate(
    seed=0,
    without_machine="without a machine the payload comes to rest",
    success_rate=1.0,
    replicas=16,
    reached_after_s=2.4,
    unit_price_usd=231.0,
    mass_kg=0.43,
    parts=12,
)
FINDING = DraftFinding(stage="witness", seed=0, detail="over_price: 610 USD, the limit is 530 USD")


def generation(_: EventsByClass) -> list[Event]:
    """Return all events of one run, as if it had taken every branch."""
    request = BenchmarkRequested(
        id=values.RUN,
        run_id=values.RUN,
        kind="benchmark",
        role="benchmark-generator",
        producer="cli",
        order=ORDER,
        model="offline",
    )
    shared = {"order": ORDER, "model": "offline", "plan_md": PLAN}
    planned = BenchmarkPlanProposed.deciding(request, "benchmark-generator", 0, 1, **shared)
    drafted = BenchmarkDrafted.deciding(planned, "benchmark-generator", 1, 1, **shared, draft=DRAFT, number=1)
    world = BuiltWorld(
        seed=0,
        environment_scene=values.SCENE,
        witness_scene=values.SCENE,
        unit_price_usd=231.0,
        mass_kg=0.43,
        parts=12,
    )
    built = DraftBuilt.answering(drafted, "cad-worker", **shared, draft=DRAFT, has_motion=True, worlds=(world,))
    certified = DraftCertified.answering(
        built, "sim-worker", **shared, draft=DRAFT, has_motion=True, worlds=(CERTIFICATE,)
    )
    published = BenchmarkPublished.answering(
        request,
        "benchmark-generator",
        name="gap-7",
        title="Gap",
        level=2,
        files=values.blob("gap-7.zip", "application/zip", 9_000),
        digest=values.digest("gap-7"),
        has_motion=True,
        worlds=(CERTIFICATE,),
        drafts=1,
        plan_md=PLAN,
    )
    return [
        request,
        planned,
        BenchmarkPlanApproved.answering(planned, "critic", review_md="It can be built."),
        BenchmarkPlanRejected.answering(planned, "critic", review_md="The gap has no width."),
        drafted,
        built,
        DraftRefused.answering(drafted, "cad-worker", findings=(FINDING,), passed=2),
        certified,
        DraftApproved.answering(certified, "critic", review_md="The description is true."),
        DraftRejected.answering(certified, "critic", review_md="The description names the solution."),
        published,
        GenerationFailed.answering(request, "benchmark-generator", reason="drafts_rejected", detail="5 drafts"),
    ]
