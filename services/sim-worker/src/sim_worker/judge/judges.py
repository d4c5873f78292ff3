"""The judges of all replicas of a world that are simulated side by side."""

from dataclasses import dataclass

import numpy as np
from contracts.models.simulation import ReplicaResult

from sim_worker.judge.criteria import Criteria
from sim_worker.judge.energy import EnergyMonitor
from sim_worker.judge.judge import Judge
from sim_worker.judge.overload import OverloadMonitor
from sim_worker.judge.penetration import Clearances, PenetrationMonitor
from sim_worker.judge.rest_detection import RestDetector, last_command_change_s
from sim_worker.model import World
from sim_worker.run.moving_average import window_steps
from sim_worker.run.replica_batch import Chunk
from sim_worker.structure.monitor import PartMonitor
from sim_worker.structure.window_means import RunMeans
from sim_worker.units import Floats


@dataclass(frozen=True)
class Judges:
    """A judge for each replica, and one monitor of the parts of all."""

    judges: list[Judge]
    parts: PartMonitor

    @classmethod
    def of(
        cls,
        world: World,
        criteria: Criteria,
        count: int,
        *,
        has_aftermath: bool = True,
        surface_m: Floats | None = None,
    ) -> "Judges":
        """Return the judges of so many replicas; `criteria` are those of the world.

        `surface_m`: (n, bodies) by which surfaces lie before what is drawn.
        """
        steps_s = np.arange(0.0, world.scene.duration_s, world.step_s)
        last_command_s = last_command_change_s(world.controls(steps_s), world.step_s)
        clearances = Clearances.of(world)
        moving_kg, scene = _moving_kg(world), world.scene
        # The centre of a solid is not that of its mass, and a spin may make it faster than any fall.
        others = world.layout.moving or scene.drives or scene.more_payloads
        is_payload_alone = scene.payload.shape != "solid" and not others
        judges = [
            Judge(
                criteria,
                OverloadMonitor(criteria, world.step_s),
                EnergyMonitor(moving_kg, is_payload_alone),
                RestDetector(last_command_s),
                PenetrationMonitor(clearances, moved_m),
                has_aftermath,
            )
            for moved_m in ([None] * count if surface_m is None or not surface_m.size else surface_m)
        ]
        return cls(judges, PartMonitor(criteria.parts, window_steps(world.step_s)))

    def evaluate(self, chunks: list[Chunk]) -> dict[int, ReplicaResult]:
        """Evaluate the next chunk of each of these replicas; return the results of those that have ended."""
        failures = self.parts.first_failures({chunk.replica: chunk.readings for chunk in chunks})
        results: dict[int, ReplicaResult] = {}
        for chunk in chunks:
            judge = self.judges[chunk.replica]
            result = judge.evaluate(chunk.readings, failures.get(chunk.replica))
            if result is None and chunk.warnings:
                result = judge.simulator_stopped(chunk.readings, chunk.warnings, chunk.is_diverged)
            if result is not None:
                results[chunk.replica] = result
                if result.ending != "reached_goal":
                    self.parts.forget(chunk.replica)
        return results

    def until_goal(self, replica: int, result: ReplicaResult) -> RunMeans | None:
        """Return the run of a replica with that result up to its goal; None if it did not reach it."""
        run = self.parts.run(replica) if result.ending == "reached_goal" else None
        return None if run is None else run.until(result.time_s)


def _moving_kg(world: World) -> float:
    """Return the mass of everything that can move."""
    model = world.model
    return float(model.body_mass[model.body_weldid != 0].sum())
