"""What the viewer shows beside scene and trajectory: facts of each part, moments of the replay, and findings.

The viewer reads scene and trajectory as stored: the JSON of a `Scene`, and the npz that `Media.trajectory` describes.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

from contracts.model import Model
from contracts.models.design import BillOfMaterials, Finding
from contracts.models.geometry import Vector
from contracts.models.scene import Scene
from contracts.models.simulation import LoadUse, MotorUse, PartUse, PhysicalEvent, ReplicaResult, SimulationResult
from pydantic import FiniteFloat, NonNegativeFloat

Tone = Literal["good", "bad", "note"]

KIND_TEXTS = {
    "released": "released",
    "contact": "touches",
    "lost_contact": "leaves",
    "entered_goal": "enters the",
    "left_goal": "leaves the",
    "touched_forbid": "touches forbidden",
    "left_bounds": "leaves the bounds",
    "closest_to_goal": "is nearest to the",
    "fastest": "is fastest",
    "joint_at_limit": "is at its limit",
    "motor_stalled": "stalls",
    "overloaded": "is overloaded",
    "penetrated": "is inside",
    "at_rest": "is at rest",
    "decided": "is decided:",
}
STRESS_WORDS = {
    "beams": "as a beam",
    "cut": "at its weakest cut",
    "plate": "as a thin plate",
}
MOST_LOADS = 4
"""Of one part."""
GOOD_KINDS = {"entered_goal"}
BAD_KINDS = {"touched_forbid", "left_bounds", "overloaded", "penetrated", "motor_stalled", "left_goal"}


class ShownPart(Model):
    """Facts of one part, by the label that it has in the scene."""

    label: str
    material: str = ""
    process: str = ""
    mass_g: NonNegativeFloat | None = None
    price_usd: NonNegativeFloat | None = None
    load_ratio: NonNegativeFloat | None = None
    """The greatest load as a share of its limit. None: nothing of it was rated."""
    loads: tuple[str, ...] = ()
    """Its greatest loads with their limits, in a few words each."""


class ShownMoment(Model):
    """One notable moment of a replay."""

    time_s: NonNegativeFloat
    text: str
    tone: Tone = "note"
    part: str | None = None
    """Label of the part that it is about, which is selected with it."""
    place_mm: Vector | None = None


class ShownFinding(Model):
    """Why a design is refused, or has failed."""

    title: str
    text: str
    severity: Literal["error", "warning", "info"] = "error"
    part: str | None = None
    """Label of the part that it is about, which is selected with it."""
    place_mm: Vector | None = None
    """None: it has no place, and is listed only."""
    time_s: NonNegativeFloat | None = None
    """When it was in the replay."""


class ShownData(Model):
    """The `parts`, `moments` and `findings` of `createViewer`."""

    parts: tuple[ShownPart, ...] = ()
    moments: tuple[ShownMoment, ...] = ()
    findings: tuple[ShownFinding, ...] = ()


def shown_data(
    scene: Scene, result: SimulationResult | None, bill: BillOfMaterials | None, findings: Sequence[Finding] = ()
) -> ShownData:
    """Return what the viewer shows of a design: result and bill may be missing, as for a world without a machine.

    `findings`: of its validation; a simulation has its own.
    """
    labels = {body.label for body in scene.bodies}
    return ShownData(
        parts=shown_parts(scene, result, bill),
        moments=() if result is None else shown_moments(result, labels),
        findings=(*_validation_findings(findings, labels), *(() if result is None else shown_failures(result, labels))),
    )


def _validation_findings(findings: Sequence[Finding], labels: set[str]) -> Iterable[ShownFinding]:
    for each in findings:
        part = each.label if each.label in labels else None
        title = each.rule.replace("_", " ")
        yield ShownFinding(title=title, text=each.detail, severity=each.severity, part=part, place_mm=each.place_mm)


def shown_failures(result: SimulationResult, labels: Iterable[str]) -> tuple[ShownFinding, ...]:
    """Return why a simulation proves nothing: its bad moments, its end, and those of its replicas; none if it does."""
    is_good = result.is_proven if result.replicas else result.verdict == "solved"
    if is_good:
        return ()
    found: dict[object, ShownFinding] = {}
    for event, moment in zip(result.events, shown_moments(result, labels), strict=True):
        if moment.tone == "bad":  # the decision comes last, and tells more than what it decides by
            cause = result.nominal.cause if event.kind == "decided" else ""
            found[event.time_s, event.place_mm] = ShownFinding(
                title=f"{event.time_s:.2f} s",
                text=cause or moment.text,
                part=moment.part,
                place_mm=moment.place_mm,
                time_s=moment.time_s,
            )
    return (*found.values(), *_replica_failures(result.replicas))


def _replica_failures(replicas: Sequence[ReplicaResult]) -> Iterable[ShownFinding]:
    """Yield one for each way in which replicas failed, at the place of the first."""
    ways: dict[tuple[str, str, str], list[ReplicaResult]] = {}
    for each in replicas:
        if each.ending != "reached_goal":
            ways.setdefault((each.ending, each.touched, each.culprit), []).append(each)
    for (ending, _, _), failed in ways.items():
        title = f"{len(failed)} of {len(replicas)} replicas"
        text = failed[0].cause or ending.replace("_", " ")
        yield ShownFinding(title=title, text=text, place_mm=failed[0].final_mm)


def shown_parts(scene: Scene, result: SimulationResult | None, bill: BillOfMaterials | None) -> tuple[ShownPart, ...]:
    """Return the facts of each part of the design."""
    lines = {} if bill is None else {line.label: line for line in bill.lines}
    parts: list[ShownPart] = []
    for body in scene.bodies:
        if body.origin != "design":
            continue
        uses = [] if result is None else sorted(_uses_of(body.label, scene, result), key=_by_ratio)
        facts = ShownPart(
            label=body.label,
            mass_g=None if body.mass is None else body.mass.mass_kg * 1000,
            load_ratio=max((ratio for ratio, _ in uses if ratio is not None), default=None),
            loads=(*(text for _, text in uses[:MOST_LOADS]), *_left_out(len(uses) - MOST_LOADS)),
        )
        if body.label in lines:
            line = lines[body.label]
            made = {"material": line.material_id, "process": line.method.replace("_", " ")}
            facts = facts.model_copy(update=made | {"mass_g": line.mass_kg * 1000, "price_usd": line.unit_price_usd})
        parts.append(facts)
    return tuple(parts)


def _by_ratio(use: tuple[float | None, str]) -> float:
    return -(use[0] or 0.0)


def _left_out(loads: int) -> tuple[str, ...]:
    return (f"and {loads} smaller {'load' if loads == 1 else 'loads'}",) if loads > 0 else ()


def _uses_of(label: str, scene: Scene, result: SimulationResult) -> Iterable[tuple[float | None, str]]:
    """Yield ratio and text of each load of a part: of itself, its welds, its joints and its motor."""
    welds = {weld.label for weld in scene.welds if label in (weld.first, weld.second)}
    joints = {joint.label for joint in scene.joints if label in (joint.parent, joint.child)}
    for part in result.parts:
        if part.label == label:
            yield part.load_ratio, part_text(part)
    for load in result.loads:
        if load.label in welds | joints:
            yield load.load_ratio, load_text(load)
    for motor in result.motors:
        if motor.label == label:
            yield motor.peak_torque_n_m / motor.stall_torque_n_m, motor_text(motor)


def part_text(part: PartUse) -> str:
    """Return stress and deflection of a part with their limits, and its factor of safety."""
    stress = f"stress {_number(part.peak_stress_mpa)} of {_number(part.max_stress_mpa)} MPa"
    if part.safety_factor is not None:
        model = "by finite elements" if part.is_by_solid else STRESS_WORDS[part.stress_by]
        stress += f" ({model}), factor of safety {_number(part.safety_factor)}"
    return f"{stress}, bends {_number(part.peak_deflection_mm)} of {_number(part.max_deflection_mm)} mm"


def load_text(load: LoadUse) -> str:
    """Return force and moment of a connection or joint with their limits."""
    force = f"{load.label}: {_number(load.peak_force_n)}"
    force += " N" if load.max_force_n is None else f" of {_number(load.max_force_n)} N"
    if load.max_moment_n_m is None:
        return force
    return f"{force}, {_number(load.peak_moment_n_m)} of {_number(load.max_moment_n_m)} N m"


def motor_text(motor: MotorUse) -> str:
    """Return the torque of a motor with its limit."""
    torques = f"{_number(motor.peak_torque_n_m)} of {_number(motor.stall_torque_n_m)} N m"
    return f"{motor.label}: {torques} before it stalls"


def shown_moments(result: SimulationResult, bodies: Iterable[str]) -> tuple[ShownMoment, ...]:
    """Return the moments of a simulation, in order."""
    labels = set(bodies)
    return tuple(
        ShownMoment(
            time_s=event.time_s,
            text=moment_text(event),
            tone=_tone(event),
            part=next((each for each in (event.other, event.subject) if each in labels), None),
            place_mm=event.place_mm,
        )
        for event in result.events
    )


def moment_text(event: PhysicalEvent) -> str:
    """Return what happened, with the measured value."""
    value = "" if event.value is None else f" ({_number(event.value)} {event.unit})"
    words = (event.subject, KIND_TEXTS[event.kind], event.other.replace("_", " "))
    return " ".join(filter(None, words)) + value


def _tone(event: PhysicalEvent) -> Tone:
    if event.kind == "decided":
        return "good" if event.other == "reached_goal" else "bad"
    if event.kind in GOOD_KINDS:
        return "good"
    return "bad" if event.kind in BAD_KINDS else "note"


def _number(value: FiniteFloat) -> str:
    """Return three digits, without an exponent for what a machine has."""
    return (
        f"{value:.0f}"
        if abs(value) >= 100
        else f"{value:.3g}"
        if abs(value) >= 0.001
        else f"{value:.4f}".rstrip("0").rstrip(".")
    )


def load_ratios(parts: Sequence[ShownPart]) -> dict[str, float]:
    """Return the rated parts with their ratios, the most loaded first."""
    rated = {part.label: part.load_ratio for part in parts if part.load_ratio is not None}
    return dict(sorted(rated.items(), key=lambda each: -each[1]))
