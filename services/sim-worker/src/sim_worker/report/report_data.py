"""All that is known of a simulation once it has been judged, before it is put in words."""

from dataclasses import dataclass

from contracts.models.scene import Scene
from contracts.models.simulation import LoadUse, MotorUse, PhysicalEvent, ReplicaResult

from sim_worker.run.readings import Readings


@dataclass(frozen=True)
class ReportData:
    """Of a nominal run and its replicas."""

    scene: Scene
    nominal: ReplicaResult
    readings: Readings
    """Of the nominal run."""
    events: tuple[PhysicalEvent, ...]
    motors: tuple[MotorUse, ...]
    loads: tuple[LoadUse, ...]
    peak_supply_w: float
    replicas: tuple[ReplicaResult, ...]
    success_rate: float
    confidence: tuple[float, float]
