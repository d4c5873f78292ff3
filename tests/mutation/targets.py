"""What the campaign changes: the code behind a verdict, and the narrow tests that must notice."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Target:
    """Some source files and the tests that cover them."""

    name: str
    sources: tuple[str, ...]
    """Files, or folders of them, from the root of the repository."""
    tests: tuple[str, ...]
    """The fastest first, since the first failure ends a run."""

    def files(self) -> list[Path]:
        """Return the source files, sorted; raise `FileNotFoundError` if one is missing."""
        found: set[Path] = set()
        for source in self.sources:
            path = ROOT / source
            if not path.exists():
                raise FileNotFoundError(f"{source} of the target {self.name} does not exist")
            found |= {path} if path.is_file() else set(path.rglob("*.py"))
        return sorted(path for path in found if path.name not in ("__init__.py", "__main__.py"))


_SIM = "services/sim-worker/src/sim_worker"
_CAD = "services/cad-worker/src/cad_worker"
TARGETS = (
    Target("judge", (f"{_SIM}/judge",), ("tests/sim_worker/judge", "tests/sim_worker/run", "tests/physics")),
    Target(
        "aggregation",
        (f"{_SIM}/report/aggregation.py",),
        ("tests/sim_worker/report", "tests/sim_worker/judge", "tests/sim_worker/run"),
    ),
    Target(
        "jitter",
        (f"{_SIM}/run/jitter.py", f"{_SIM}/run/replica_batch.py"),
        ("tests/sim_worker/run", "tests/sim_worker/test_handlers.py"),
    ),
    Target("handlers", (f"{_SIM}/handlers.py", f"{_SIM}/simulator.py"), ("tests/sim_worker",)),
    Target(
        "rules",
        (f"{_CAD}/validation/rules", f"{_CAD}/validation/design_validation.py", f"{_CAD}/validation/distances.py"),
        ("tests/cad_worker/validation", "tests/cad_worker/scene"),
    ),
    Target(
        "transmission",
        (f"{_CAD}/validation/transmission",),
        tuple(
            f"tests/cad_worker/validation/test_{name}.py" for name in ("drives", "gear_ratios", "guides", "servo_range")
        ),
    ),
    Target("structure", (f"{_SIM}/structure",), ("tests/sim_worker/structure", "tests/physics/test_strength.py")),
    Target(
        "scene",
        (f"{_CAD}/scene",),
        ("tests/cad_worker/scene", "tests/cad_worker/validation", "tests/physics/test_strength.py"),
    ),
    Target(
        "prices",
        (
            "libs/workbenches/src/workbenches/quote.py",
            "libs/workbenches/src/workbenches/cnc",
            "libs/workbenches/src/workbenches/printing",
            "libs/workbenches/src/workbenches/moulding",
            f"{_CAD}/validation/bill.py",
        ),
        (
            "tests/workbenches",
            "tests/cad_worker/validation/test_bill.py",
            "tests/cad_worker/validation/test_drives.py",
        ),
    ),
    Target(
        "limits",
        ("services/planner/src/planner/limits.py", f"{_CAD}/validation/rules/limits.py"),
        ("tests/planner/test_limits.py", "tests/cad_worker/validation/test_rules.py", "tests/planner"),
    ),
    Target(
        "variants",
        ("libs/benchmarks/src/benchmarks/variant.py",),
        ("tests/suite/test_variants.py", "tests/suite/test_loader.py"),
    ),
    Target("leases", ("libs/chassis/src/chassis/leases",), ("tests/chassis/leases",)),
    Target(
        "checker", ("libs/kernel/src/kernel/checker",), ("tests/kernel/test_checker.py", "tests/kernel/test_golden.py")
    ),
    Target(
        "watchdog",
        tuple(f"libs/sandbox/src/sandbox/{name}.py" for name in ("watchdog", "usage", "memory", "disk")),
        ("tests/sandbox/test_watchdog.py", "tests/sandbox/test_evasion.py", "tests/sandbox/test_disk.py"),
    ),
    Target(
        "recorder", ("services/recorder/src/recorder", "libs/store/src/store/log.py"), ("tests/recorder", "tests/store")
    ),
    Target(
        "critic",
        (
            "services/critic/src/critic/policy.py",
            "services/critic/src/critic/verdict.py",
            "services/critic/src/critic/outcomes.py",
        ),
        ("tests/critic",),
    ),
)
