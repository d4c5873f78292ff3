"""Mutants that survived an earlier campaign: each must stay caught. The text to replace occurs once in its file."""

from dataclasses import dataclass

_SIM = "services/sim-worker/src/sim_worker"


@dataclass(frozen=True)
class NamedMutant:
    """A change of meaning in one place."""

    name: str
    target: str
    file: str
    before: str
    after: str

    def applied(self, source: str) -> str:
        """Return the changed text; raise `ValueError` if its place is gone, so that the list does not rot."""
        if source.count(self.before) != 1:
            count = source.count(self.before)
            raise ValueError(f"{self.name}: {self.before!r} occurs {count} times in {self.file}, it must occur once")
        return source.replace(self.before, self.after)


NAMED_MUTANTS = (
    NamedMutant(
        "judged replicas ignore the seed of the variant",
        "handlers",
        f"{_SIM}/handlers.py",
        "SimulationSettings(design.replicas, design.assignment.variant.seed, has_aftermath=True)",
        "SimulationSettings(design.replicas, 0, has_aftermath=True)",
    ),
    NamedMutant(
        "jitter is given up at the first overlap",
        "jitter",
        f"{_SIM}/run/replica_batch.py",
        "shares[overlaps] / 2 if halving < HALVINGS - 1 else 0.0",
        "0.0",
    ),
    NamedMutant(
        "yaw is never applied",
        "jitter",
        f"{_SIM}/run/replica_batch.py",
        "share * jitter.yaw_rad / 2",
        "0.0 * share * jitter.yaw_rad / 2",
    ),
    NamedMutant(
        "saturation of motors does not vary",
        "jitter",
        f"{_SIM}/run/replica_batch.py",
        'self._batch.expand("actuator_forcerange")[:, motor] *= factor[:, None]',
        "pass",
    ),
    NamedMutant(
        "inertia does not vary with mass",
        "jitter",
        f"{_SIM}/run/replica_batch.py",
        'self._batch.expand("body_inertia")[:, body] *= factor[:, None]',
        "pass",
    ),
    NamedMutant(
        "motors may gain half of their work",
        "judge",
        f"{_SIM}/judge/energy.py",
        "WORK_SHARE = 0.05",
        "WORK_SHARE = 0.5",
    ),
    NamedMutant(
        "a renewal counts from its answer",
        "leases",
        "libs/chassis/src/chassis/leases/lease.py",
        "lease.record, lease.revision, lease.renewed_s = record, revision, began_s",
        "lease.record, lease.revision, lease.renewed_s = record, revision, self._clock()",
    ),
    NamedMutant(
        "names of the interpreter may be defined",
        "checker",
        "libs/kernel/src/kernel/checker/checker.py",
        "        if node.name in FORBIDDEN_DUNDERS:",
        "        if node.name in FRAME_ATTRIBUTES:",
    ),
    NamedMutant(
        "shared memory does not count",
        "watchdog",
        "libs/sandbox/src/sandbox/usage.py",
        '_KIB_FIELDS = (b"RssAnon", b"RssShmem", b"VmPTE")',
        '_KIB_FIELDS = (b"RssAnon", b"VmPTE")',
    ),
    NamedMutant(
        "zones shrink half as much",
        "variants",
        "libs/benchmarks/src/benchmarks/variant.py",
        'draws.uniform(f"{name}.shrink_{axis}", 0.0, most)',
        'draws.uniform(f"{name}.shrink_{axis}", 0.0, most / 2)',
    ),
    NamedMutant(
        "worlds are mirrored in a tenth of all seeds",
        "variants",
        "libs/benchmarks/src/benchmarks/draws.py",
        "random() < 0.5 and axis",
        "random() < 0.1 and axis",
    ),
)
