"""Simulation of the queues between services: `./run perf scale/queues [--workers 1,10,100,1000] [--measure]`.

A run visits stations: servers of one kind with one queue, the oldest run first. Its service times are CPU seconds that
were measured per run (perf/results/cpu-per-run.md, the last column) and, with `--measure`, rates of this machine's
servers. Prints runs per hour against workers, how busy each station is, and which one bounds the rate.
"""

import argparse
import asyncio
import heapq
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from perf.scale.rates import Rates, measured_rates
from tests.support.measurements import setting, table

JOBS = 2
"""Pieces of work at once in a worker, as the manifests set them: one per CPU requested."""
SLOTS_PER_CORE = 4
ROUNDS = 6
"""How often a run goes from a role to a worker and back: its jobs in cad-worker and sim-worker."""
CPU_S = {"planner": 0.9, "engineer": 0.8, "critic": 0.8, "skill-learner": 0.2, "cad-worker": 6.4, "sim-worker": 9.1}
"""Of one run; cad-worker with its kernels."""
RATES = Rates(events_per_run=57, publish_per_s=420.0, record_per_s=1500.0, queue_s=0.002, queue_s_per_ended=6e-6)
"""Measured by `--measure`; see perf/results/scale.txt."""
KEPT_S = 720.0 * 3600.0
"""For how long ends of runs are kept in the stream: RECORDER_ENDS_KEPT_S."""
SPREAD = 0.5
"""Coefficient of variation of service times."""
SECONDS_PER_HOUR = 3600.0


@dataclass
class Station:
    """Servers of one kind."""

    servers: int
    busy_s: float = 0.0
    working: int = 0
    waiting: list[tuple[int, int, float]] = field(default_factory=list[tuple[int, int, float]])
    """Run, order of arrival, service time: the oldest run comes first."""


@dataclass(frozen=True)
class Visit:
    """One piece of work of a run."""

    station: str
    mean_s: float


@dataclass(frozen=True)
class Fleet:
    """How many of everything there are, and what a run asks of it."""

    workers: int
    """cad-worker and sim-worker together."""
    replicas: int
    """Of each role."""
    model_s: float
    """How long a language model takes for each reply."""
    rates: Rates = RATES

    @property
    def servers(self) -> dict[str, int]:
        """By station. Workers are divided as a run divides its work; a role's process is one interpreter."""
        share = CPU_S["cad-worker"] / (CPU_S["cad-worker"] + CPU_S["sim-worker"])
        cad = max(1, round(share * self.workers)) if self.workers > 1 else 1
        workers = {"cad-worker": JOBS * cad, "sim-worker": JOBS * max(1, self.workers - cad)}
        roles = dict.fromkeys(("planner", "engineer", "critic", "skill-learner"), self.replicas)
        return {**workers, **roles, "stream": 1, "recorder": 1}

    def rate_bound(self) -> float:
        """Return the runs per second that no queue of this fleet can exceed.

        The planner lists all runs that ended within `KEPT_S` twice per run, so that its own bound x solves
        replicas = x (work + 2 (read + ended s x KEPT_S)).
        """
        demand: Counter[str] = Counter()
        for visit in self.visits(0.0):
            demand[visit.station] += visit.mean_s  # pyright: ignore[reportArgumentType] - counters hold floats, too
        bounds = [servers / demand[name] for name, servers in self.servers.items()]
        quadratic, linear = 2 * self.rates.queue_s_per_ended * KEPT_S, demand["planner"]
        if quadratic:
            bounds.append((-linear + (linear**2 + 4 * quadratic * self.replicas) ** 0.5) / (2 * quadratic))
        return min(bounds)

    @property
    def slots(self) -> int:
        """Runs in work at once: four per core, and as many more as wait for a model."""
        cores = JOBS * self.workers
        working_s = sum(CPU_S.values())
        return round(SLOTS_PER_CORE * cores * (1 + ROUNDS * self.model_s / working_s))

    def visits(self, ended_runs: float) -> list[Visit]:
        """Return what one run does, in order; `ended_runs` are listed at its request and at its end."""
        queue = Visit("planner", self.rates.queue_s + self.rates.queue_s_per_ended * ended_runs)
        events = self.rates.events_per_run / (ROUNDS + 2)
        stored = [
            Visit("stream", events / self.rates.publish_per_s),
            Visit("recorder", events / self.rates.record_per_s),
        ]
        plan = [queue, Visit("planner", CPU_S["planner"] / 2), *stored]
        work = [
            Visit("engineer", CPU_S["engineer"] / ROUNDS),
            Visit("model", self.model_s),
            Visit("cad-worker", CPU_S["cad-worker"] / ROUNDS),
            Visit("sim-worker", CPU_S["sim-worker"] / ROUNDS),
            *stored,
        ]
        review = [Visit("critic", CPU_S["critic"]), Visit("planner", CPU_S["planner"] / 2), *stored]
        return [*plan, *(visit for _ in range(ROUNDS) for visit in work), *review, queue, Visit("skill-learner", 0.2)]


@dataclass(frozen=True)
class Outcome:
    """What a simulation found."""

    fleet: Fleet
    runs_per_hour: float
    utilisation: dict[str, float]

    @property
    def bottleneck(self) -> str:
        """The busiest station."""
        return max(self.utilisation, key=lambda name: self.utilisation[name])


def simulate(fleet: Fleet, seed: int = 0) -> Outcome:
    """Keep all slots taken until three times as many runs have ended, and measure over the last two thirds."""
    return _Simulation(fleet, fleet.rate_bound() * KEPT_S, seed).run()


class _Simulation:
    def __init__(self, fleet: Fleet, ended_runs: float, seed: int) -> None:
        self._fleet = fleet
        self._visits = fleet.visits(ended_runs)
        self._stations = {name: Station(servers) for name, servers in fleet.servers.items()}
        self._generator = random.Random(seed)  # noqa: S311 - not used for security
        self._events: list[tuple[float, int, int, int]] = []
        """Time, order, run, and index of the visit that ends."""
        self._order = count()
        self._now_s = 0.0

    def run(self) -> Outcome:
        """Return the outcome."""
        slots = self._fleet.slots
        ending = max(60, 3 * slots)
        for run in range(slots):
            self._arrive(run, 0)
        self._advance(ending // 3, slots)
        began_s, before = self._now_s, self._busy_s()
        self._advance(ending - ending // 3, slots + ending // 3)
        spent_s = self._now_s - began_s
        busy = self._busy_s()
        utilisation = {
            name: min(1.0, (busy[name] - before[name]) / (each.servers * spent_s))
            for name, each in self._stations.items()
        }
        return Outcome(self._fleet, SECONDS_PER_HOUR * (ending - ending // 3) / spent_s, utilisation)

    def _advance(self, runs: int, next_run: int) -> None:
        """Go on until so many runs have ended; each is replaced by the next one."""
        ended = 0
        while ended < runs:
            self._now_s, _, run, index = heapq.heappop(self._events)
            self._leave(self._visits[index])
            if index + 1 < len(self._visits):
                self._arrive(run, index + 1)
            else:
                self._arrive(next_run + ended, 0)
                ended += 1

    def _arrive(self, run: int, index: int) -> None:
        visit = self._visits[index]
        service_s = visit.mean_s * self._generator.lognormvariate(-(SPREAD**2) / 2, SPREAD)
        station = self._stations.get(visit.station)
        if station is None or station.working < station.servers:  # a model serves all at once
            self._begin(station, run, index, service_s)
        else:
            heapq.heappush(station.waiting, (run, index, service_s))

    def _begin(self, station: Station | None, run: int, index: int, service_s: float) -> None:
        if station is not None:
            station.working += 1
            station.busy_s += service_s
        heapq.heappush(self._events, (self._now_s + service_s, next(self._order), run, index))

    def _leave(self, visit: Visit) -> None:
        station = self._stations.get(visit.station)
        if station is not None:
            station.working -= 1
            if station.waiting:
                self._begin(station, *heapq.heappop(station.waiting))

    def _busy_s(self) -> dict[str, float]:
        return {name: each.busy_s for name, each in self._stations.items()}


def main() -> int:
    """Print a report in Markdown."""
    parser = argparse.ArgumentParser(description="Simulation of the queues between services.")
    parser.add_argument("--workers", default="2,5,10,20,50,100,200,500,1000")
    parser.add_argument("--replicas", default="1,8,20", help="of each role")
    parser.add_argument("--model", type=float, default=20.0, help="seconds of a language model's reply")
    parser.add_argument("--measure", action="store_true", help="measure the rates of this machine's servers first")
    arguments = parser.parse_args()
    print(setting())
    rates = asyncio.run(measured_rates()) if arguments.measure else RATES
    print(f"- {rates}\n")
    numbers = [int(each) for each in arguments.workers.split(",")]
    for replicas in map(int, arguments.replicas.split(",")):
        fleets = [Fleet(workers, replicas, arguments.model, rates) for workers in numbers]
        print(f"## {replicas} of each role, a model of {arguments.model:g} s, ends kept for {KEPT_S / 3600:g} h\n")
        print(f"{_report(fleets)}\n", flush=True)
        without = [replace(fleet, rates=replace(rates, queue_s_per_ended=0.0)) for fleet in fleets]
        print(f"## The same, if the list of ended runs cost nothing\n\n{_report(without)}\n", flush=True)
    return 0


def _report(fleets: Sequence[Fleet]) -> str:
    rows: list[tuple[str, ...]] = []
    for fleet in fleets:
        found = simulate(fleet)
        busy = sorted(found.utilisation.items(), key=lambda each: -each[1])[:3]
        shown = ", ".join(f"{name} {share:.0%}" for name, share in busy)
        rows.append((str(fleet.workers), str(fleet.slots), f"{found.runs_per_hour:.0f}", shown))
    return table(("workers", "slots", "runs/h", "busiest"), rows)


if __name__ == "__main__":
    sys.exit(main())
