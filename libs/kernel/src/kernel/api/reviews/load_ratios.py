"""Is it overloaded? What motors, joints and connections bore, as shares of what they may."""

from contracts.models.scene import Scene
from contracts.models.simulation import LoadUse, MotorUse, SimulationResult

MOTOR_MARGIN = 0.5
"""A motor whose peak is beyond this share of its stall torque has no reserve for a worn gear or a low battery."""


def strains(run: SimulationResult) -> dict[str, float]:
    """Return by label what was borne in the nominal run as a share of the limit: 1.0 is overloaded, most first.

    Of a motor it is the peak torque over the stall torque, of a joint or a connection the greater of force and moment
    over what each may be; what has no limit is not there.
    """
    found = {use.label: _of_motor(use) for use in run.motors}
    found |= {use.label: share for use in run.loads if (share := _of_load(use)) is not None}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def overloads(scene: Scene, run: SimulationResult) -> list[str]:
    """Return in words what bears too much: motors beyond half their stall torque, anything else beyond its limit.

    Motors of the environment are the benchmark's, and left out.
    """
    motors = {use.label for use in run.motors}
    given = {body.label for body in scene.bodies if body.origin == "environment"} & motors
    return [
        f"`{label}` bears {share:.0%} of its {'stall torque' if label in motors else 'limit'}"
        for label, share in strains(run).items()
        if label not in given and share > (MOTOR_MARGIN if label in motors else 1.0)
    ]


def _of_motor(use: MotorUse) -> float:
    return use.peak_torque_n_m / use.stall_torque_n_m if use.stall_torque_n_m else 0.0


def _of_load(use: LoadUse) -> float | None:
    shares = [
        peak / limit
        for peak, limit in ((use.peak_force_n, use.max_force_n), (use.peak_moment_n_m, use.max_moment_n_m))
        if limit
    ]
    return max(shares) if shares else None
