"""What welds bear, from what is measured of some of them; `modelling.sharing` works it out."""

from dataclasses import dataclass

from contracts.models.scene import Weld

from sim_worker.units import Floats


@dataclass(frozen=True)
class Sharing:
    """What every weld bears, as a linear function of what those that are measured bear.

    Loads are forces and moments about the weld's anchor, in axes that turn with its group: 6 numbers for each weld.
    """

    measured: tuple[Weld, ...]
    shares: Floats
    """(6 x welds of the scene, 6 x measured)"""
    reactions: Floats
    """(6 x welds of the scene, drives): what a motor's housing passes on for each N m that its shaft gives. To MuJoCo a
    motor is a torque between the two sides of its joint, and its housing feels nothing of that."""
