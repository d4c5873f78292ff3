"""Load ratios: peak loads of motors, joints and connections over their limits."""

from contracts.models.scene import Scene
from contracts.models.simulation import LoadUse, MotorUse, PartUse, SimulationResult

MOTOR_MARGIN = 0.5
"""A motor with a peak above this share of its stall torque has no reserve for a worn gear or a low battery."""


def strains(run: SimulationResult) -> dict[str, float]:
    """Return the load ratio of the nominal run by label, highest first; above 1.0 is overloaded.

    For a motor it is peak over stall torque, for a joint or connection the greater ratio of force and moment, for a
    glued face both together, for a part the greatest of stress, buckling and deflection. Loads without a limit are left
    out.
    """
    found = {use.label: _motor_ratio(use) for use in run.motors}
    found |= {use.label: _part_ratio(use) for use in run.parts}
    found |= {use.label: ratio for use in run.loads if (ratio := _load_ratio(use)) is not None}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def overloads(scene: Scene, run: SimulationResult) -> list[str]:
    """Describe each overload: motors above half their stall torque, joints and connections above their limit.

    Motors of the environment belong to the benchmark and are left out.
    """
    motors = {use.label for use in run.motors}
    environment_motors = {body.label for body in scene.bodies if body.origin == "environment"} & motors
    return [
        f"`{label}` bears {ratio:.0%} of its {'stall torque' if label in motors else 'limit'}"
        for label, ratio in strains(run).items()
        if label not in environment_motors and ratio > (MOTOR_MARGIN if label in motors else 1.0)
    ]


def _motor_ratio(use: MotorUse) -> float:
    return use.peak_torque_n_m / use.stall_torque_n_m if use.stall_torque_n_m else 0.0


def _part_ratio(use: PartUse) -> float:
    stress, bent = use.peak_stress_mpa / use.max_stress_mpa, use.peak_deflection_mm / use.max_deflection_mm
    return max(stress, bent, use.peak_buckling)


def _load_ratio(use: LoadUse) -> float | None:
    if use.peak_use is not None:
        return use.peak_use
    ratios = [
        peak / limit
        for peak, limit in ((use.peak_force_n, use.max_force_n), (use.peak_moment_n_m, use.max_moment_n_m))
        if limit
    ]
    return max(ratios) if ratios else None
