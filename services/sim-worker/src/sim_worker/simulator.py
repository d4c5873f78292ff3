"""Simulation of a scene: nominal run, jittered replicas, and the judged result. It blocks; call it in a thread."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np
from contracts.models.scene import Scene, SolidStress
from contracts.models.simulation import ReplicaResult, SimulationResult
from threadpoolctl import threadpool_limits  # pyright: ignore[reportMissingTypeStubs] - it ships none

from sim_worker.judge import failure_text
from sim_worker.judge.criteria import Criteria
from sim_worker.judge.goal import Goal
from sim_worker.judge.judges import Judges
from sim_worker.model import DEFAULT_NUMERICS, Numerics, World, compile_scene
from sim_worker.names import the_payload
from sim_worker.report.aggregation import aggregate
from sim_worker.report.replica_blows import Peaks, RanReplicas, worst
from sim_worker.run.cancellation import Cancellation
from sim_worker.run.jitter import Jitter, no_jitter, random_jitter
from sim_worker.run.moving_average import window_steps
from sim_worker.run.penetration import reject_penetration
from sim_worker.run.readings import Readings
from sim_worker.run.replica_batch import ReplicaBatch
from sim_worker.run.trajectory import Trajectory
from sim_worker.structure.monitor import Failure, PartMonitor
from sim_worker.structure.peak_stress import PeakSearch, PeakStress, first_failure
from sim_worker.structure.solids import Solids, with_stresses
from sim_worker.units import metres_each, metres_of, vector_mm


@dataclass(frozen=True)
class SimulationSettings:
    """Number and seed of the replicas."""

    replicas: int
    """1: the nominal run alone. More: as many jittered replicas after it."""
    seed: int
    has_aftermath: bool = False
    """Whether replicas are watched after their success, as the nominal run always is: it doubles the time of most."""


@dataclass(frozen=True)
class SimulationRecord:
    """A simulated scene."""

    world: World
    trajectory: Trajectory
    result: SimulationResult


@dataclass(frozen=True)
class NominalRun:
    """The run without jitter, with all its readings."""

    result: ReplicaResult
    readings: Readings
    """From the start to the ending; without rows that are not finite."""


@dataclass(frozen=True)
class PreparedScene:
    """What is equal in all simulations of a scene, whatever their replicas and seed."""

    world: World
    criteria: Criteria
    nominal: NominalRun
    peaks: Mapping[str, PeakStress]
    """At cuts, in plates and under blows of the nominal run, by part."""
    refusal: Failure | None
    """The part that breaks there."""

    @property
    def depends_on_parts(self) -> bool:
        """Whether the machine works, or fails by one of its parts alone: finite elements may turn the verdict."""
        result = self.nominal.result
        return result.ending == "reached_goal" or (result.ending == "overloaded" and result.culprit in self.peaks)


MOST_ROUNDS = 2
"""Of finite elements."""
MAX_PREPARED = 4
"""Scenes that stay prepared: a verdict, its critic's reruns and its film follow a preview of the same scene."""


class Simulator:
    """Simulates scenes in a number of threads. Scenes of late stay prepared, so that they are not run again."""

    def __init__(self, threads: int, numerics: Numerics = DEFAULT_NUMERICS) -> None:
        # The matrices of a step are small: BLAS's own threads take three times the CPU, and compete with the replicas'.
        threadpool_limits(1, user_api="blas")
        self._threads, self._numerics = threads, numerics
        self._prepared: OrderedDict[str, PreparedScene] = OrderedDict()

    def simulate(
        self,
        scene: Scene,
        settings: SimulationSettings,
        cancellation: Cancellation | None = None,
        *,
        solids: Mapping[str, bytes] | None = None,
    ) -> SimulationRecord:
        """Simulate and judge a scene; raise `SceneRejectedError` if it cannot be simulated.

        `solids`: STEP files of parts, by label; finite elements look at those that are doubtful, and the record's scene
        has what they found. Raises `SimulationCancelledError` within a second of a cancellation.
        """
        prepared = self._prepare(scene, cancellation)
        if solids:
            prepared = self._with_solids(prepared, solids, cancellation or Cancellation())
        world, criteria = prepared.world, prepared.criteria
        replicas: tuple[ReplicaResult, ...] = ()
        if settings.replicas > 1:
            jitter = _jitter_of(world, settings.replicas, settings.seed)
            batch = ReplicaBatch(world, jitter, self._threads, cancellation)
            ran = ran_batch(world, batch, criteria, has_aftermath=settings.has_aftermath)
            peaks = ran.peaks(PeakSearch(world, criteria.in_replicas().parts, prepared.peaks))
            if solids and prepared.depends_on_parts:
                prepared, peaks = self._with_solids_of_replicas(prepared, ran, peaks, solids, cancellation)
            replicas = ran.judged(prepared.criteria, peaks)
        world, criteria, nominal = prepared.world, prepared.criteria, prepared.nominal
        trajectory = Trajectory.of(nominal.readings, world.scene)
        result = aggregate(
            criteria, nominal.result, nominal.readings, replicas, trajectory.digest, peaks=prepared.peaks
        )
        return SimulationRecord(world, trajectory, result)

    def judged_parts(self, scene: Scene, cancellation: Cancellation | None = None) -> list[str]:
        """Return the labels of the parts whose solids `simulate` may need to be sure of its verdict."""
        prepared = self._prepare(scene, cancellation)
        return [part.label for part in prepared.criteria.parts] if prepared.depends_on_parts else []

    def _with_solids_of_replicas(
        self,
        prepared: PreparedScene,
        ran: RanReplicas,
        peaks: Peaks,
        solids: Mapping[str, bytes],
        cancellation: Cancellation | None,
    ) -> tuple[PreparedScene, Peaks]:
        """Return the scene, and the stresses in its replicas, once finite elements have looked at what breaks there."""
        known = Solids(prepared.world, prepared.criteria.in_replicas().parts, solids)
        found = known.stresses(worst(peaks), (cancellation or Cancellation()).check)
        if not found:
            return prepared, peaks
        scene = with_stresses(prepared.world.scene, found)
        prepared = _judged_again(prepared, scene, found)
        self._keep(_key(scene), prepared)
        again = ran.peaks(PeakSearch(prepared.world, prepared.criteria.in_replicas().parts), found)
        return prepared, {replica: {**peaks[replica], **again[replica]} for replica in peaks}

    def _with_solids(
        self, prepared: PreparedScene, solids: Mapping[str, bytes], cancellation: Cancellation
    ) -> PreparedScene:
        """Return the scene once finite elements have looked at it: a part that they acquit may show the next one."""
        for _ in range(MOST_ROUNDS):
            if not prepared.depends_on_parts:
                break
            known = Solids(prepared.world, prepared.criteria.parts, solids)
            found = known.stresses(prepared.peaks, cancellation.check)
            if not found:
                break
            scene = with_stresses(prepared.world.scene, found)
            if prepared.nominal.result.ending != "reached_goal":
                prepared = self._prepare(scene, cancellation)
            else:
                prepared = _judged_again(prepared, scene, found)
                self._keep(_key(scene), prepared)
        return prepared

    def _prepare(self, scene: Scene, cancellation: Cancellation | None) -> PreparedScene:
        """Return the prepared scene; several threads may prepare the same one."""
        key = _key(scene)
        prepared = self._prepared.pop(key, None)
        if prepared is None:
            world = compile_scene(scene, self._numerics)
            prepared = _prepared(world, Criteria.of(scene, world.layout), cancellation)
        self._keep(key, prepared)
        return prepared

    def _keep(self, key: str, prepared: PreparedScene) -> None:
        self._prepared[key] = prepared
        while len(self._prepared) > MAX_PREPARED:
            self._prepared.popitem(last=False)


def _key(scene: Scene) -> str:
    return sha256(scene.model_dump_json().encode()).hexdigest()


def _prepared(world: World, criteria: Criteria, cancellation: Cancellation | None) -> PreparedScene:
    """Run the world as designed, and look at its parts where beams do not."""
    nominal = run_nominal(world, criteria, cancellation)
    peaks = PeakSearch(world, criteria.parts).nominal(nominal.readings)
    refusal = first_failure(peaks)
    if refusal is not None:
        nominal = _refused(world, criteria, nominal, refusal)
    return PreparedScene(world, criteria, nominal, peaks, refusal)


def _judged_again(prepared: PreparedScene, scene: Scene, found: Mapping[str, SolidStress]) -> PreparedScene:
    """Return a prepared scene whose run reached the goal with what finite elements found about some of its parts."""
    world, readings = replace(prepared.world, scene=scene), prepared.nominal.readings
    parts = tuple(part.corrected(found.get(part.label)) for part in prepared.criteria.parts)
    criteria = replace(prepared.criteria, scene=scene, parts=parts)
    peaks = {**prepared.peaks, **PeakSearch(world, parts).nominal(readings, found)}
    monitor = PartMonitor(parts, window_steps(world.step_s))
    refusal, nominal = first_failure(peaks), prepared.nominal
    failures = [*monitor.first_failures({0: readings}).values(), *([] if refusal is None else [refusal])]
    if failures:
        nominal = _refused(world, criteria, nominal, min(failures))
    return PreparedScene(world, criteria, nominal, peaks, refusal)


def run_nominal(world: World, criteria: Criteria | None = None, cancellation: Cancellation | None = None) -> NominalRun:
    """Run the world as designed; raise `SceneRejectedError` if any bodies overlap at the start.

    `criteria`: those of the world, if they are known already; here and below.
    """
    reject_penetration(world)
    jitter = no_jitter(len(world.layout.moving), len(world.scene.drives), len(world.scene.payloads))
    batch = ReplicaBatch(world, jitter, threads=1, cancellation=cancellation)
    judges = Judges.of(world, criteria or Criteria.of(world.scene, world.layout), 1)
    chunks: list[Readings] = []
    result: ReplicaResult | None = None
    while result is None:
        ((chunk,),) = batch.advance([0])
        result = judges.evaluate([chunk]).get(0)
        chunks.append(chunk.readings)
    return NominalRun(result, _finite(_until(Readings.joined(chunks), result.time_s)))


def _refused(world: World, criteria: Criteria, nominal: NominalRun, refusal: Failure) -> NominalRun:
    """Return the nominal run as the judge ends it when a part breaks."""
    until = _until(nominal.readings, refusal[0])
    judge = Judges.of(world, criteria, 1).judges[0]
    result = judge.evaluate(until, refusal)
    return nominal if result is None else NominalRun(result, until)


def run_replicas(world: World, replicas: int, seed: int, threads: int) -> tuple[ReplicaResult, ...]:
    """Run jittered replicas. The result does not depend on the number of threads."""
    return run_batch(world, ReplicaBatch(world, _jitter_of(world, replicas, seed), threads))


def _jitter_of(world: World, replicas: int, seed: int) -> Jitter:
    scene = world.scene
    parts, motors, payloads = len(world.layout.moving), len(scene.drives), len(scene.payloads)
    # Moving parts are fitted to each other when they are put together; `fits.csv` says which tolerances bind them.
    fixed = [0.0 if body.label in world.layout.moving else body.surface_tolerance_mm for body in scene.bodies]
    tolerances_m = metres_of(np.array(fixed))
    return random_jitter(replicas, seed, parts, motors, scene.replica_jitter_mm, payloads, tolerances_m)


def run_batch(
    world: World, batch: ReplicaBatch, criteria: Criteria | None = None, *, has_aftermath: bool = True
) -> tuple[ReplicaResult, ...]:
    """Simulate each replica of a batch until it has ended."""
    known = criteria or Criteria.of(world.scene, world.layout)
    ran = ran_batch(world, batch, known, has_aftermath=has_aftermath)
    return ran.judged(known, ran.peaks(PeakSearch(world, known.in_replicas().parts)))


def ran_batch(world: World, batch: ReplicaBatch, criteria: Criteria, *, has_aftermath: bool) -> RanReplicas:
    """Simulate each replica of a batch until it has ended, without a look at cuts, plates and blows."""
    replicas = batch.jitter.replicas
    results = _without_room(world, batch)
    surface_m = batch.jitter.surface_m
    judges = Judges.of(world, criteria.in_replicas(), replicas, has_aftermath=has_aftermath, surface_m=surface_m)
    while len(results) < replicas:
        for chunks in batch.advance([replica for replica in range(replicas) if replica not in results]):
            results.update(judges.evaluate(chunks))
    shares = batch.start_shares
    return RanReplicas(
        tuple(results[each].model_copy(update={"jitter_share": float(shares[each])}) for each in range(replicas)),
        {each: run for each in sorted(results) if (run := judges.until_goal(each, results[each])) is not None},
        np.stack([payload.mass_factor for payload in batch.jitter.payloads], axis=1),
    )


def _without_room(world: World, batch: ReplicaBatch) -> dict[int, ReplicaResult]:
    """Return the results of replicas that cannot start, because a part of the design is where the payload would be."""
    scene = world.scene
    results: dict[int, ReplicaResult] = {}
    for replica, obstruction in batch.obstructions.items():
        payload, jitter = scene.payloads[obstruction.payload], batch.jitter.payloads[obstruction.payload]
        place_m = np.array(metres_each(payload.start_mm)) + batch.start_shares[replica] * jitter.start_m[replica]
        goal_mm, goal_center_mm = Goal.of(scene, payload).distances_mm(place_m)
        results[replica] = ReplicaResult(
            ending="no_room",
            time_s=0.0,
            final_mm=vector_mm(place_m),
            max_speed_m_s=0.0,
            closest_goal_mm=max(0.0, goal_mm - min(payload.extents_mm) / 2),
            culprit=obstruction.label,
            cause=failure_text.no_room(
                obstruction.label,
                obstruction.depth_m,
                vector_mm(place_m),
                scene.replica_jitter_mm,
                the_payload(scene, obstruction.payload),
            ),
            payload=payload.label if scene.more_payloads else "",
            goal_distance_mm=goal_mm,
            goal_center_distance_mm=goal_center_mm,
        )
    return results


def _finite(readings: Readings) -> Readings:
    """Return the readings before the first that is not finite, but at least one."""
    broken = np.flatnonzero(~np.isfinite(readings.rows).all(axis=1))
    return readings[: max(1, int(broken[0]))] if len(broken) else readings


def _until(readings: Readings, time_s: float) -> Readings:
    return readings[: int(np.searchsorted(readings.time_s, time_s, side="right"))]
