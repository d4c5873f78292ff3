"""Examples of requests to workers other than cells, of a refused plan, and of a generated benchmark; see `examples`."""

from typing import Any

from contracts.envelope import Event, answering, deciding, during
from contracts.events.benchmark import (
    BenchmarkBrief,
    BenchmarkDrafted,
    BenchmarkPlanApproved,
    BenchmarkPlanProposed,
    BenchmarkPlanRejected,
    BenchmarkPublished,
    BenchmarkRequested,
    BenchmarkSessionRequested,
    BuiltWorld,
    CertificationCompleted,
    CertificationRequested,
    Draft,
    DraftApproved,
    DraftBuilt,
    DraftCertified,
    DraftFinding,
    DraftRefused,
    DraftRejected,
    GenerationFailed,
    WitnessRun,
    WorldCertificate,
)
from contracts.events.catalog import CatalogQueried, CatalogSearched, CatalogSearchFailed, CatalogSearchRequested
from contracts.events.design import DesignApproved
from contracts.events.perception import (
    FrameIntrinsics,
    PerceptionCompleted,
    PerceptionFailed,
    PerceptionRequested,
    Reconstruct,
    Reconstructed,
)
from contracts.events.plan import Citation, PlanRefused, RefusalDenied, RefusalUpheld
from contracts.events.rendering import RenderCompleted, RenderFailed, RenderRequested
from contracts.events.session import (
    CellCompleted,
    CellRequested,
    FileEditRequested,
    FileRefused,
    FileViewed,
    FileViewRequested,
    FileWriteRequested,
    FileWritten,
    SessionOpened,
)
from contracts.events.simulation import (
    FilmCompleted,
    FilmFailed,
    FilmRequested,
    SimulationCompleted,
    SimulationFailed,
    SimulationRequested,
)
from contracts.models.benchmark import BenchmarkFiles
from contracts.models.catalog import CatalogFind
from contracts.models.observation import LintFinding
from contracts.models.questions.frames import FrameRef, Noise, SceneState

from tests.contracts import example_values as values

EventsByClass = dict[type[Event], Event]

BRIEF = BenchmarkBrief(
    task="a ball must cross a gap", level=2, seed=7, worlds=1, replicas=16, max_plans=2, max_drafts=5, deadline_s=900
)
BENCHMARK_PLAN = "# Benchmark plan\n\n## Task\n\nA ball crosses a gap.\n"
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
WEAKEST = WitnessRun(seed=0, scene=values.SCENE, trajectory_digest=values.digest("weakest"))
DRAFT_FINDING = DraftFinding(stage="witness", seed=0, detail="over_price: 610 USD, the limit is 530 USD")

STATE = SceneState(
    scene=values.blob("spatial-scene.json", "application/json", 9000), state=30, noise=Noise(depth_relative=0.01)
)
FRAME = FrameRef(
    picture=values.blob("frame-30.png", "image/png", 52000),
    frame_index=30,
    time_s=1.2,
    width_px=640,
    height_px=480,
    source=STATE,
)


def files(events: EventsByClass) -> list[Event]:
    text = "legs = 4\n"
    write = FileWriteRequested(**deciding(events[SessionOpened], "engineer", 3), path="script.py", text=text)
    view = FileViewRequested(**deciding(events[SessionOpened], "engineer", 5), path="script.py", from_line=1, to_line=9)
    return [
        write,
        FileEditRequested(
            **deciding(events[SessionOpened], "engineer", 4), path="script.py", old_text="legs = 3", new_text="legs = 4"
        ),
        FileWritten(
            **answering(write, "cad-worker"),
            path="script.py",
            size_bytes=len(text),
            sha256=values.digest(text),
            text=text,
            findings=(LintFinding(tool="ruff", rule="F821", line=1, column=1, message="Undefined name `leg`"),),
            lint_note="pyright took longer than 4 s",
        ),
        view,
        FileViewed(**answering(view, "cad-worker"), path="script.py", text=text, from_line=1, total_lines=1),
        FileRefused(
            **answering(write, "cad-worker"), path="utils/x.py", reason="read_only", detail="utils/ cannot be changed"
        ),
    ]


def preview(events: EventsByClass) -> list[Event]:
    request = SimulationRequested(
        **deciding(events[CellRequested], "engineer", 2, 1),
        scene=values.SCENE,
        replicas=8,
        seed=3,
        part_steps=values.DELIVERY.part_steps,
    )
    return [
        request,
        SimulationCompleted(**answering(request, "sim-worker"), result=values.RESULT, scene=values.SCENE),
        SimulationFailed(**answering(request, "sim-worker"), reason="initial_penetration", detail="ball in channel-1"),
    ]


def picture(events: EventsByClass) -> list[Event]:
    request = RenderRequested(
        **deciding(events[CellRequested], "engineer", 2, 2),
        meshes=values.blob("meshes.json", "application/json", 5000),
        views=("iso", "bottom"),
        view_width_px=320,
        view_height_px=240,
    )
    picture = values.blob("show.png", "image/png", 40000)
    return [
        request,
        RenderCompleted(**answering(request, "sim-worker"), picture=picture, width_px=640, height_px=240),
        RenderFailed(**answering(request, "sim-worker"), reason="nothing_to_see", detail="no mesh has a triangle"),
    ]


def perception(events: EventsByClass) -> list[Event]:
    request = PerceptionRequested(
        **deciding(events[CellRequested], "engineer", 2, 4), operation=Reconstruct(kind="reconstruct", frames=(FRAME,))
    )
    result = Reconstructed(
        kind="reconstructed",
        arrays=values.blob("reconstruction.npz", "application/x-npz", 2_500_000),
        frame_indices=(30,),
        intrinsics=(FrameIntrinsics(fx=514.7, fy=514.7, cx=319.5, cy=239.5),),
        gravity_direction=(0.0, -1.0, 0.0),
    )
    return [
        request,
        PerceptionCompleted(
            **answering(request, "perception-worker"), backend="simulator", result=result, duration_ms=48.5
        ),
        PerceptionFailed(
            **answering(request, "perception-worker"), reason="unknown_frame", detail="frame 30 has no scene"
        ),
    ]


def search(events: EventsByClass) -> list[Event]:
    request = CatalogSearchRequested(
        **deciding(events[CellRequested], "engineer", 2, 3),
        words="a 12 V gear motor",
        limit=3,
        quantity=250,
        model="offline",
    )
    sql = "SELECT part_id, from_usd FROM part_search WHERE category = 'motor' LIMIT 3"
    found = CatalogFind(
        id="gm37d-12v-50",
        name="37D metal gearmotor 12 V 50:1",
        what="motor, dc gearmotor: voltage_v 12",
        figures={"voltage_v": 12.0, "control": "velocity"},
        unit_price_usd=39.95,
        confidence="spec:sourced price:typical",
        reason="cheapest of 12 V",
    )
    return [
        request,
        CatalogQueried(
            **deciding(request, "catalog", 0, 1),
            search_id=request.id,
            sql=sql,
            answer_md="# Rows\n\nno row",
            was_refused=False,
        ),
        CatalogSearched(**answering(request, "catalog"), found=(found,), note="prices are estimates", queries=(sql,)),
        CatalogSearchFailed(
            **answering(request, "catalog"), reason="too_many_queries", detail="3 queries were not enough"
        ),
    ]


def film(events: EventsByClass) -> list[Event]:
    request = FilmRequested(
        **deciding(events[DesignApproved], "planner", 8, 1),
        scene=values.SCENE,
        trajectory_digest=values.RESULT.trajectory_digest,
        window_s=(0.5, 2.5),
    )
    return [
        request,
        FilmCompleted(**answering(request, "sim-worker"), summary_md=values.RESULT.summary_md, media=values.MEDIA),
        FilmFailed(
            **answering(request, "sim-worker"), reason="ran_differently", detail="another version of the simulator"
        ),
    ]


def refusal(events: EventsByClass) -> list[Event]:
    cited = Citation(kind="cell", number=3, event_id=events[CellCompleted].id, told="ok: the wall is 400 mm high")
    refused = PlanRefused(
        **deciding(events[CellCompleted], "engineer", 5),
        assignment=values.ASSIGNMENT,
        environment=values.ENVIRONMENT,
        model="offline",
        plan_md=values.PLAN,
        todo_md=values.TODO,
        proof_md="No channel passes a wall as high as the start [cell 3].",
        evidence=(cited,),
    )
    return [
        refused,
        RefusalUpheld(**answering(refused, "critic"), review_md="The wall is in the way."),
        RefusalDenied(**answering(refused, "critic"), review_md="The wall has a gap."),
    ]


def generation(_: EventsByClass) -> list[Event]:
    """Return all events of one run, as if it had taken every branch."""
    request = BenchmarkRequested(
        id=values.RUN,
        run_id=values.RUN,
        kind="benchmark",
        role="benchmark-generator",
        producer="cli",
        brief=BRIEF,
        model="offline",
    )
    shared: dict[str, Any] = {"brief": BRIEF, "model": "offline", "plan_md": BENCHMARK_PLAN}
    planned = BenchmarkPlanProposed(**deciding(request, "benchmark-generator", 0, 1), **shared)
    drafted = BenchmarkDrafted(**deciding(planned, "benchmark-generator", 1, 1), **shared, draft=DRAFT, number=1)
    world = BuiltWorld(
        seed=0,
        environment_scene=values.SCENE,
        witness_scene=values.SCENE,
        part_steps=values.DELIVERY.part_steps,
        unit_price_usd=231.0,
        mass_kg=0.43,
        parts=12,
    )
    session = BenchmarkSessionRequested(
        **deciding(planned, "benchmark-generator", 1, 2),
        brief=BRIEF,
        plan_md=BENCHMARK_PLAN,
        todo_md="# TODO\n\n- [ ] T1: build\n",
        reviewed=DRAFT.files,
    )
    tested = CertificationRequested(**during(session, "test 0", "cad-worker"), worlds=(world,), replicas=16)
    built = DraftBuilt(**answering(drafted, "cad-worker"), **shared, draft=DRAFT, has_motion=True, worlds=(world,))
    certified = DraftCertified(
        **answering(built, "sim-worker"), **shared, draft=DRAFT, has_motion=True, worlds=(CERTIFICATE,), weakest=WEAKEST
    )
    published = BenchmarkPublished(
        **answering(request, "benchmark-generator"),
        name="gap-7",
        title="Gap",
        level=2,
        files=values.blob("gap-7.zip", "application/zip", 9_000),
        digest=values.digest("gap-7"),
        has_motion=True,
        worlds=(CERTIFICATE,),
        drafts=1,
        plan_md=BENCHMARK_PLAN,
    )
    return [
        request,
        planned,
        BenchmarkPlanApproved(**answering(planned, "critic"), review_md="It can be built."),
        BenchmarkPlanRejected(**answering(planned, "critic"), review_md="The gap has no width."),
        session,
        tested,
        CertificationCompleted(
            **answering(tested, "sim-worker"),
            worlds=(CERTIFICATE,),
            findings=(DRAFT_FINDING.model_copy(update={"seed": 1}),),
        ),
        drafted,
        built,
        DraftRefused(**answering(drafted, "cad-worker"), findings=(DRAFT_FINDING,), passed=2),
        certified,
        DraftApproved(**answering(certified, "critic"), review_md="The description is true."),
        DraftRejected(**answering(certified, "critic"), review_md="The description names the solution."),
        published,
        GenerationFailed(**answering(request, "benchmark-generator"), reason="drafts_rejected", detail="5 drafts"),
    ]
