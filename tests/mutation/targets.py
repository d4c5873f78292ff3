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
    """Files, or folders of them; targets with the same tests follow each other and share one test process."""

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
_RULES = "libs/design-rules/src/design_rules"
_SIM_TESTS = (
    *(f"tests/sim_worker/{name}" for name in ("judge", "model", "report", "run", "structure")),
    *("tests/sim_worker/test_handlers.py", "tests/sim_worker/test_world_check.py", "tests/physics"),
    "tests/sim_worker/media/test_view_sheet.py",
)
_CAD_TESTS = ("tests/design_rules", "tests/cad_worker/scene", "tests/physics/test_strength.py")
TARGETS = (
    Target("judge", (f"{_SIM}/judge",), _SIM_TESTS),
    Target("aggregation", (f"{_SIM}/report/aggregation.py",), _SIM_TESTS),
    Target("jitter", (f"{_SIM}/run/jitter.py", f"{_SIM}/run/replica_batch.py"), _SIM_TESTS),
    Target("handlers", (f"{_SIM}/handlers.py", f"{_SIM}/simulator.py"), _SIM_TESTS),
    Target("structure", (f"{_SIM}/structure",), _SIM_TESTS),
    Target(
        "rules",
        (f"{_RULES}/rules", f"{_RULES}/design_validation.py", f"{_RULES}/bodies/distances.py"),
        _CAD_TESTS,
    ),
    Target("transmission", (f"{_RULES}/transmission",), _CAD_TESTS),
    Target("scene", (f"{_CAD}/scene",), _CAD_TESTS),
    Target(
        "prices",
        (
            "libs/workbenches/src/workbenches/quote.py",
            "libs/workbenches/src/workbenches/cnc",
            "libs/workbenches/src/workbenches/printing",
            "libs/workbenches/src/workbenches/moulding",
            f"{_RULES}/bill.py",
        ),
        (
            "tests/workbenches",
            "tests/design_rules/test_bill.py",
            "tests/design_rules/transmission/test_drives.py",
        ),
    ),
    Target(
        "limits",
        ("services/planner/src/planner/limits.py", f"{_RULES}/rules/limits.py"),
        ("tests/planner/test_limits.py", "tests/design_rules/test_rules.py", "tests/planner"),
    ),
    Target(
        "variants",
        tuple(f"libs/benchmarks/src/benchmarks/{name}.py" for name in ("variant", "draws", "drawn_world")),
        ("tests/suite/test_variants.py", "tests/suite/test_loader.py", "tests/benchmarks"),
    ),
    Target("leases", ("libs/chassis/src/chassis/leases",), ("tests/chassis/leases",)),
    Target(
        "checker", ("libs/kernel/src/kernel/checker",), ("tests/kernel/test_checker.py", "tests/kernel/test_golden.py")
    ),
    Target(
        "watchdog",
        tuple(f"libs/sandbox/src/sandbox/{name}.py" for name in ("watchdog", "usage", "memory", "disk")),
        tuple(f"tests/sandbox/test_{name}.py" for name in ("limits", "disk", "watchdog", "evasion")),
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
