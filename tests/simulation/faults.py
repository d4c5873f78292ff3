"""The faults of one schedule: drawn from its seed, then done to the cluster."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from tests.simulation.cluster import Cluster, Node
from tests.simulation.doubles.network import FaultRates
from tests.simulation.doubles.provider import MODEL, OTHER_MODEL
from tests.simulation.event_loop import Process

CALM_FROM_S = 45.0
"""From then on nothing fails any more, and the cluster has to finish its work."""
MAX_CRASH_STEP = 400
"""A process of a run without faults takes about 200 steps."""
OTHER_MODEL_AWAY_S = 180.0
CLOCK_JUMPS_S = (-3600.0, -60.0, 60.0, 3600.0)
PARTITION_S = 60.0


@dataclass(frozen=True)
class FaultPlan:
    """Which faults a schedule has."""

    rates: FaultRates
    crashes: int = 0
    restarts: int = 0
    """Processes that are stopped in order, as by an upgrade."""
    cut_offs: int = 0
    server_restarts: int = 0
    power_losses: int = 0
    provider_outages: int = 0
    clock_jumps: int = 0
    """How often the wall clock of a process jumps by up to an hour, forward or back."""
    partitions: int = 0
    """How often a process is cut off from all servers for `PARTITION_S`."""
    is_one_poisoned: bool = False
    """Whether one of two runs kills the workers that simulate its design."""
    is_other_model_away: bool = False
    """Whether one of two runs has a model whose provider is away for minutes."""


def draw_plan(random: Random) -> FaultPlan:
    """Return the faults of a schedule: each kind in about half of all schedules, some schedules without any."""

    def some(most: int) -> int:
        return random.randint(1, most) if random.random() < 0.5 else 0

    def rate(highest: float) -> float:
        return random.uniform(0.0, highest) if random.random() < 0.5 else 0.0

    rates = FaultRates(
        lost_requests=rate(0.03),
        lost_answers=rate(0.03),
        lost_acks=rate(0.1),
        lost_deliveries=rate(0.05),
        duplicates=rate(0.2),
        slow=rate(0.2),
        lease_errors=rate(0.03),
    )
    return FaultPlan(
        rates=rates,
        crashes=some(4),
        restarts=some(2),
        cut_offs=some(2),
        server_restarts=some(2),
        power_losses=some(1),
        provider_outages=some(1),
        is_one_poisoned=random.random() < 0.15,
        is_other_model_away=random.random() < 0.15,
    )


class Nemesis:
    """Does the faults of a plan to a cluster, and writes down what it did."""

    def __init__(self, cluster: Cluster, plan: FaultPlan) -> None:
        self._cluster = cluster
        self._plan = plan
        self._random = cluster.random
        self._crashes_left = plan.crashes
        self.diary: list[str] = []

    def begin(self) -> None:
        """Start all nodes, and plan when to do what."""
        for node in self._cluster.nodes:
            self._start(node)
        plan = self._plan
        if plan.is_other_model_away:
            self._note(f"the provider of the model {OTHER_MODEL} is away for {OTHER_MODEL_AWAY_S:g} s")
            self._cluster.provider.away_until_s[OTHER_MODEL] = OTHER_MODEL_AWAY_S
        for count, do in (
            (plan.restarts, self._restart),
            (plan.cut_offs, self._cut_off),
            (plan.server_restarts, self._restart_server),
            (plan.power_losses, self._lose_power),
            (plan.provider_outages, self._send_provider_away),
            (plan.clock_jumps, self._jump_clock),
            (plan.partitions, self._partition),
        ):
            for _ in range(count):
                self._at(self._random.uniform(0.5, 15.0), do)
        self._at(CALM_FROM_S, self._calm_down)

    def _at(self, time_s: float, do: Callable[[], None]) -> None:
        self._cluster.network.later(time_s - self._cluster.loop.now_s, do)

    def _in(self, delay_s: float, do: Callable[[], None]) -> None:
        self._at(self._cluster.loop.now_s + delay_s, do)

    def _note(self, text: str) -> None:
        self.diary.append(f"{self._cluster.loop.now_s:8.3f} s  {text}")

    def _start(self, node: Node) -> None:
        crash_at_step = None
        if self._crashes_left and self._random.random() < 0.5:
            self._crashes_left -= 1
            crash_at_step = self._random.randint(1, MAX_CRASH_STEP)
        self._cluster.start(node, crash_at_step)
        process = node.process
        assert process is not None

        def died() -> None:
            self._note(f"{node.name} dies at its step {process.steps}")
            if node.process is process:
                self._in(self._random.uniform(0.2, 12.0), lambda: self._start(node))

        process.on_death.append(died)

    def _restart(self) -> None:
        node = self._random.choice(self._cluster.nodes)
        process = node.process
        if process is None or not process.is_alive:
            return
        self._note(f"{node.name} is stopped")

        async def stop() -> None:
            for app in node.apps:
                await app.stop()
            process.kill()

        self._cluster.loop.spawn(process, stop())

    def _jump_clock(self) -> None:
        node, jump_s = self._random.choice(self._cluster.nodes), self._random.choice(CLOCK_JUMPS_S)
        if node.process is not None:
            node.process.wall_skew_s += jump_s
            self._note(f"the clock of {node.name} jumps by {jump_s:+g} s")

    def _cut_off(self) -> None:
        node = self._random.choice(self._cluster.nodes)
        if node.process is not None:
            self._cut_off_for(node, node.process, self._random.uniform(0.5, 15.0))

    def _partition(self) -> None:
        node = self._random.choice(self._cluster.nodes)
        if node.process is not None:
            self._cut_off_for(node, node.process, PARTITION_S)

    def _cut_off_for(self, node: Node, process: Process, lasts_s: float) -> None:
        process.cut_off_until_s = self._cluster.loop.now_s + lasts_s
        self._note(f"{node.name} is cut off for {lasts_s:.3f} s")

    def _restart_server(self) -> None:
        lasts_s = self._random.uniform(0.2, 5.0)
        self._note(f"the server restarts and is away for {lasts_s:.3f} s")
        self._cluster.network.down_until_s = self._cluster.loop.now_s + lasts_s
        self._in(lasts_s, self._cluster.server.restart)

    def _lose_power(self) -> None:
        """Sync to disk now, and lose power soon: that of the server, or of the whole machine.

        The server syncs what it acknowledges, but not what consumers have acknowledged. A machine is also taken to
        come back with an older log, as after a restore from a backup: then its database is newer than its log.
        """
        server, disk = self._cluster.server, self._cluster.server.sync_point()
        is_whole_machine, incarnation = self._random.random() < 0.5, server.incarnation

        def cut() -> None:
            if server.incarnation != incarnation:
                return  # another fault came first: what was on disk then is not any more
            lasts_s = self._random.uniform(0.2, 3.0)
            self._cluster.network.down_until_s = self._cluster.loop.now_s + lasts_s
            if not is_whole_machine:
                self._note("the server loses power, and what consumers acknowledged a moment ago")
                server.restart(replace(server.sync_point(), consumers=disk.consumers))
                return
            self._note(f"all lose power, and the log what follows message {disk.last_sequence}")
            for node in self._cluster.nodes:
                self._cluster.kill(node)
            server.restart(disk)

        self._in(self._random.uniform(0.01, 3.0), cut)

    def _send_provider_away(self) -> None:
        lasts_s = self._random.uniform(1.0, 20.0)
        self._note(f"the provider is away for {lasts_s:.3f} s")
        self._cluster.provider.away_until_s[MODEL] = self._cluster.loop.now_s + lasts_s

    def _calm_down(self) -> None:
        self._note("no further faults")
        self._crashes_left = 0
        self._cluster.network.is_calm = True
        for node in self._cluster.nodes:
            if node.process is not None:
                node.process.crash_at_step = None
