"""What of an environment moves, as Markdown: its joints, connections and couplings, and motors with their timing."""

from collections.abc import Iterator, Sequence

from contracts.models.benchmark import Obstacle, Solid
from contracts.models.mechanism import Constant, Control, Joint, Mechanism, Motor, Oscillation, Range, Steps

from agent.rendering.tables import number, numbers

NOTHING = "Nothing of it moves: every solid is fixed."
TURNS = ("revolute", "cylindrical", "ball")
SLIDES = ("linear", "cylindrical")


def environment_motion(mechanism: Mechanism, solids: Sequence[Solid], obstacles: Sequence[Obstacle]) -> str:
    """Return one list item for each joint with its motors, connection, coupling and loose solid.

    `obstacles` are those of the world, in which driven solids may move. One sentence if nothing moves.
    """
    lines = [
        *_joint_lines(mechanism, solids, obstacles),
        *_connection_lines(mechanism),
        *_coupling_lines(mechanism),
        *(_loose_text(solid) for solid in solids if solid.is_loose),
    ]
    return "\n".join(f"- {line}" for line in lines) or NOTHING


def _loose_text(solid: Solid) -> str:
    moving = ", and it moves from the start" if solid.is_moving else ""
    return f"`{solid.label}` lies loose: what touches it pushes it{moving}"


def _joint_lines(mechanism: Mechanism, solids: Sequence[Solid], obstacles: Sequence[Obstacle]) -> Iterator[str]:
    for joint in mechanism.joints:
        motors = [motor for motor in mechanism.motors if motor.joint == joint.label]
        drives = "; ".join(_drive_text(motor, joint) for motor in motors) or "no motor: it moves when it is pushed"
        path = _path_text(joint, solids, obstacles) if motors else ""
        yield f"`{joint.child}` {_freedom_text(joint)} on `{joint.parent}` (joint `{joint.label}`); {drives}{path}"


def _path_text(joint: Joint, solids: Sequence[Solid], obstacles: Sequence[Obstacle]) -> str:
    """Name the obstacle that a driven solid moves in: nothing else need be there."""
    boxes = [solid.box for solid in solids if solid.label == joint.child]
    around = [each.label for each in obstacles if any(each.box.contains(box, tolerance_mm=1.0) for box in boxes)]
    where = f"it moves inside the obstacle `{around[0]}`; " if around else ""
    return f"; {where}a part that stands in its path is refused"


def _freedom_text(joint: Joint) -> str:
    anchor = f"({numbers(joint.anchor_mm)}) mm"
    if joint.kind == "ball":
        return f"turns in any direction about {anchor}{_range_text(joint.angle_range_deg, 'degrees')}"
    ways = [
        *(["turns"] if joint.kind in TURNS else []),
        *(["slides"] if joint.kind in SLIDES else []),
    ]
    ranges = (_range_text(joint.angle_range_deg, "degrees"), _range_text(joint.travel_range_mm, "mm"))
    return f"{' and '.join(ways)} on the axis through {anchor} along ({numbers(joint.axis)}){''.join(ranges)}"


def _range_text(limits: Range | None, unit: str) -> str:
    return "" if limits is None else f", from {number(limits[0])} to {number(limits[1])} {unit}"


def _drive_text(motor: Motor, joint: Joint) -> str:
    unit = "degrees" if joint.kind in TURNS else "mm"
    return f"the motor `{motor.part}` drives it: {_program_text(motor.control, unit)}"


def _program_text(control: Control, unit: str) -> str:
    """Return a motor's program; the time 0 is the release of the payload."""
    match control:
        case Constant(share=share):
            return f"{share:.0%} of its voltage all the time"
        case Steps(times_s=times_s, shares=shares):
            return f"share of its voltage {_timed(times_s, [f'{share:.0%}' for share in shares])}"
        case Oscillation():
            return (
                f"to and fro by {number(control.amplitude)} {unit} about {number(control.mean)}, "
                f"{number(control.frequency_hz)} times a second, from the phase {number(control.phase_deg)} degrees on"
            )
        case _:
            targets = [f"{number(target)} {unit}" for target in control.targets]
            return f"to {_timed(control.times_s, targets)}, evenly in between"


def _timed(times_s: Sequence[float], values: Sequence[str]) -> str:
    return ", ".join(f"{value} at {number(time_s)} s" for time_s, value in zip(times_s, values, strict=True))


def _connection_lines(mechanism: Mechanism) -> Iterator[str]:
    for connection in mechanism.connections:
        how = "glued" if connection.means == "bonded" else "screwed"
        yield f"`{connection.first}` and `{connection.second}` are {how} together"


def _coupling_lines(mechanism: Mechanism) -> Iterator[str]:
    for coupling in mechanism.couplings:
        ratio = number(coupling.ratio)
        yield f"joint `{coupling.second}` moves by {ratio} x joint `{coupling.first}` ({coupling.kind})"
