"""Load ratios: loads of motors, joints and connections over their limits; for motors, times over permitted times."""

from contracts.criteria import NEAR_STALL_LIMIT_S
from contracts.models.scene import Scene
from contracts.models.simulation import MotorUse, SimulationResult


def strains(run: SimulationResult) -> dict[str, float]:
    """Return the load ratio of the nominal run by label, highest first; above 1.0 is overloaded.

    For a motor it is the greater ratio of two times within any window of four thermal limits: above its continuous
    torque, over its thermal limit, and above half of its stall torque, over `NEAR_STALL_LIMIT_S`. For a joint or
    connection it is the greater ratio of force and moment, for a glued face both together, for a part the greatest of
    stress, buckling and deflection. Loads without a limit are left out.
    """
    found = {use.label: max(_motor_ratios(use).values()) for use in run.motors}
    found |= {use.label: use.load_ratio for use in run.parts}
    found |= {use.label: ratio for use in run.loads if (ratio := use.load_ratio) is not None}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def overloads(scene: Scene, run: SimulationResult) -> list[str]:
    """Describe each overload: motors that are too hot or too near to stalling for too long, and loads above a limit.

    Motors of the environment belong to the benchmark and are left out.
    """
    uses = {use.label: use for use in run.motors}
    environment_motors = {body.label for body in scene.bodies if body.origin == "environment"} & uses.keys()
    return [
        _describe(label, ratio, uses.get(label))
        for label, ratio in strains(run).items()
        if label not in environment_motors and ratio > 1.0
    ]


def _describe(label: str, ratio: float, motor: MotorUse | None) -> str:
    if motor is None:
        return f"`{label}` bears {ratio:.0%} of its limit"
    ratios = _motor_ratios(motor)
    if ratios["near stall"] >= ratios["hot"]:
        return (
            f"`{label}` gave more than half of its stall torque for {motor.near_stall_s:.2f} s; "
            f"{NEAR_STALL_LIMIT_S:g} s is the limit"
        )
    return (
        f"`{label}` was above its continuous torque for {motor.overload_s:.2f} s; "
        f"{motor.thermal_limit_s:g} s is the limit"
    )


def _motor_ratios(use: MotorUse) -> dict[str, float]:
    hot = use.overload_s / use.thermal_limit_s if use.thermal_limit_s else 0.0
    return {"hot": hot, "near stall": use.near_stall_s / NEAR_STALL_LIMIT_S}
