"""The values that the examples are made of: a marble run on the detour benchmark."""

from datetime import UTC, datetime
from hashlib import sha256
from uuid import UUID

from contracts.envelope import answering
from contracts.events.run import EnvironmentBuilt, WorldChecked
from contracts.events.skill import TrialOptions
from contracts.models.artifact import ArtifactRef
from contracts.models.assessment import Assessment, Rerun
from contracts.models.benchmark import Assignment, Budget, Environment, Limits, Payload, Solid, Variant, Zone
from contracts.models.continuation import Continuation
from contracts.models.design import BillLine, BillOfMaterials, Delivery, Evidence
from contracts.models.geometry import Box
from contracts.models.observation import CellError, Observation, Variable
from contracts.models.simulation import Media, ReplicaResult, SimulationResult
from contracts.models.submission import Submission
from contracts.skills import ArmFigures, Estimate, OfferedSkill, TrialFigures

RUN = UUID("0192f0c0-5eed-4000-8000-000000000001")
WHEN = datetime(2026, 11, 21, 9, 30, 0, 125000, tzinfo=UTC)
PLAN = """# Plan

## Idea

A channel on two legs leads round the wall, on a slope of 8 degrees.

## Parts

| part | count | method | material | mass_g | price_usd |
| --- | --- | --- | --- | --- | --- |
| channel | 3 | 3d_printing | pla | 25 | 8.5 |
| leg | 2 | 3d_printing | petg | 12.5 | 4 |

## Motion

Moved by: gravity, on a slope of 8 degrees

1. the ball rolls round the wall
2. it drops into the goal zone

## Risks

- the corner stops the ball: each channel ends above the next
"""
TODO = """# TODO

- [ ] T1: measure the environment
- [ ] T2: build the channel
"""


def digest(text: str) -> str:
    """Return a digest that looks like one."""
    return sha256(text.encode()).hexdigest()


def blob(name: str, media_type: str, size_bytes: int) -> ArtifactRef:
    """Return a reference to an artifact that exists nowhere."""
    return ArtifactRef(sha256=digest(name), media_type=media_type, size_bytes=size_bytes)


VARIANT = Variant(
    benchmark="detour",
    title="Detour",
    description="A ball must go **round** a wall.",
    seed=7,
    level=2,
    bounds=Box(min_mm=(-500, -500, 0), max_mm=(500, 500, 600)),
    build_zone=Box(min_mm=(-300, -200, 0), max_mm=(300, 200, 400)),
    goal_zone=Box(min_mm=(200, -40, 0), max_mm=(280, 40, 60)),
    forbid_zones=(Zone(label="wall", box=Box(min_mm=(-10, -100, 0), max_mm=(10, 100, 300))),),
    payload=Payload(label="ball", shape="ball", size_mm=30, start_mm=(-250, 0, 350), density_kg_m3=1180, friction=0.4),
    hold_s=1.5,
    duration_s=12,
    environment_code=blob("environment.py", "text/x-python", 812),
)
LIMITS = Limits(max_unit_price_usd=40, max_mass_kg=2.5, max_parts=20)
ASSIGNMENT = Assignment(variant=VARIANT, limits=LIMITS, quantity=250)
BUDGET = Budget(max_steps=30, deadline_s=900, max_rejections=2)
ENVIRONMENT = Environment(
    digest=digest("environment"),
    brep=blob("environment.brep", "application/octet-stream", 20480),
    step=blob("environment.step", "model/step", 40960),
    glb=blob("environment.glb", "model/gltf-binary", 8192),
    solids=(Solid(label="floor", box=Box(min_mm=(-500, -500, -10), max_mm=(500, 500, 0))),),
)
SUBMISSION = Submission(digest=digest("script.py"), files=blob("workspace.zip", "application/zip", 3072))
BILL = BillOfMaterials(
    lines=(
        BillLine(
            label="channel-1",
            method="3d_printing",
            material_id="pla",
            volume_mm3=54000,
            mass_kg=0.067,
            unit_price_usd=2.15,
            box=Box(min_mm=(-260, -20, 200), max_mm=(-60, 20, 330)),
        ),
    ),
    quantity=250,
    unit_price_usd=2.15,
    mass_kg=0.067,
)
MEDIA = Media(
    video=blob("run.mp4", "video/mp4", 51200),
    glb=blob("run.glb", "model/gltf-binary", 16384),
    trajectory=blob("run.npz", "application/x-npz", 9216),
    poster=blob("run.png", "image/png", 30720),
    mjcf=blob("run.xml", "application/xml", 4096),
    views=blob("views.png", "image/png", 30720),
    views_show="Top view above front view, and right view beside it. Green: goal zone.",
)
DELIVERY = Delivery(
    script=SUBMISSION.files,
    digest=SUBMISSION.digest,
    step=blob("assembly.step", "model/step", 81920),
    part_steps={"channel-1": blob("channel-1.step", "model/step", 20000)},
    glb=blob("assembly.glb", "model/gltf-binary", 12288),
    scene=blob("scene.json", "application/json", 2048),
    media=MEDIA,
)
REPLICA = ReplicaResult(
    ending="touched_forbid",
    time_s=1.75,
    final_mm=(-8, 12.5, 140),
    max_speed_m_s=1.4,
    closest_goal_mm=195.5,
    touched="wall",
)
RESULT = SimulationResult(
    verdict="solved",
    stability="stable",
    nominal=ReplicaResult(
        ending="reached_goal", time_s=3.25, final_mm=(240, 0, 15), max_speed_m_s=1.1, closest_goal_mm=0
    ),
    replicas=(REPLICA,),
    success_rate=0.96875,
    trajectory_digest=digest("trajectory"),
    summary_md="SOLVED after 3.25 s\n\n31 of 32 replicas reached the goal.",
)
OBSERVATION = Observation(
    status="error",
    output="12 solids\n",
    output_chars=10,
    error=CellError(
        type="ValueError", message="radius must be positive", line=3, traceback="  line 3, in <cell>\nValueError"
    ),
    variables=(Variable(name="legs", type="list", summary="4 parts, 120 mm high", change="new"),),
    elapsed_s=0.42,
)
SCENE = blob("scene.json", "application/json", 6144)
CONTINUATION = Continuation(
    attempts=(UUID("0192f0c0-5eed-4000-8000-000000000002"),),
    says="Use fewer legs.",
    workspace=blob("files.zip", "application/zip", 2048),
    journal_md="# Journal",
)
SKILL = OfferedSkill(
    name="legs-reach-the-floor",
    description="Check that every leg touches the floor.",
    version=2,
    skill_md=blob("SKILL.md", "text/markdown", 700),
    files=blob("skill-files.zip", "application/zip", 900),
)
TRIAL_OPTIONS = TrialOptions(benchmarks=("detour",), model="offline", target="radius must be positive")
ARM = ArmFigures(runs=8, solved=8, failures_per_run=1.5, target_failures_per_run=1.0)
ESTIMATE = Estimate(mean=0.5, low=0.1, high=0.9, confidence=0.95)
TRIAL_FIGURES = TrialFigures(pairs=8, current=ARM, proposed=ARM, solved=ESTIMATE, avoided=ESTIMATE)


def assessment_of(seeds: int, replicas: int, missed: int = 0) -> Assessment:
    """Return the count of reruns with this many replicas each, of which some of the first seeds' missed the goal."""
    reruns = [
        Rerun(
            seed=100 + number,
            endings=tuple("missed_goal" if n == 0 and number < missed else "reached_goal" for n in range(replicas)),
        )
        for number in range(seeds)
    ]
    return Assessment.of(reruns, VARIANT.seed)


ASSESSMENT = Assessment.of(
    [Rerun(seed=seed, endings=("reached_goal",) * 5 + ("missed_goal",) * (seed == 8)) for seed in range(8, 14)],
    judged_seed=VARIANT.seed,
)
"""30 of 31 replicas under six seeds reached the goal."""
EVIDENCE = Evidence(
    cell_id=UUID("0192f0c0-5eed-4000-8000-000000000003"), name="rate", summary="0.97", fingerprint="ab12"
)


def checked(built: EnvironmentBuilt) -> WorldChecked:
    """Return the sim-worker's answer to a built environment."""
    text = "without a machine the payload missed the goal after 1.50 s: it came no nearer than 80.0 mm to the goal zone"
    return WorldChecked(
        **answering(built, "sim-worker"), environment=built.environment, without_machine=text, check_s=0.2
    )
