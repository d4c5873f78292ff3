"""The strength library, and the judge, against closed forms: `./run perf strength [--machines 12] [--seed 0]`.

Prints Markdown: errors, elements and CPU of each solid, and of a large one; then, of so many machines of the suite, how
many parts finite elements looked at and whose verdict they changed. Exit code 1 if an error is too large.
"""

import argparse
import resource
import sys

from strength.models import Analysis, AnalysisResult, MeshLimits
from strength.process import Outcome, run

from perf.strength.judged import judged_table
from perf.strength.machines import machines_tables
from tests.support.measurements import setting, table
from tests.support.strength.closed_forms import CASES

PACKAGES = ("netgen-mesher", "numpy", "scipy")
LARGE = {
    "size_mm": 1.4,
    "natural_frequency": False,
    "limits": MeshLimits(refinements=1, elements=27_000),
}
"""Of the bar: after one refinement it has as many elements as the judge allows; its own limits would begin coarser."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Strength against closed forms, and in the machines of the suite.")
    parser.add_argument("--machines", type=int, default=12, help="of the suite, drawn at random; 0: none")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    arguments = parser.parse_args()
    rows, wrong = list[tuple[str, ...]](), False
    for case in CASES:
        outcome, cpu_s = _timed(case.analysis())
        if not isinstance(outcome, AnalysisResult):
            sys.exit(f"{case.name}: {outcome.detail}")
        for what, read in case.reads.items():
            measured, exact = read(outcome)
            error = measured / exact - 1
            wrong = wrong or abs(error) > case.tolerance
            figures = (f"{measured:.5g}", f"{exact:.5g}", f"{error:+.1%}", f"{case.tolerance:.0%}")
            rows.append((case.name, what, *figures, str(outcome.elements), f"{cpu_s:.1f}"))
    head = ("solid", "what", "measured", "exact", "error", "allowed", "elements", "CPU s")
    print(f"# Strength\n\n{setting(PACKAGES)}\n\nCPU with the start of the process.\n\n{table(head, rows)}")
    print(f"\n{_large()}")
    of_designs, is_wrong = judged_table()
    print(f"\n## As designs through the judge\n\n{of_designs}")
    if arguments.machines:
        print(f"\n## Machines of the suite\n\n{machines_tables(arguments.machines, arguments.seed)}")
    sys.exit(wrong or is_wrong)


def _large() -> str:
    """Return what a large analysis takes, and what of it is the start of its process."""
    bar = CASES[0].analysis()
    outcome, cpu_s = _timed(bar.model_copy(update=LARGE))
    _, start_s = _timed(bar.model_copy(update={"brep": "no solid"}))
    elements = outcome.elements if isinstance(outcome, AnalysisResult) else 0
    return (
        f"One bar of {elements} elements, with its one refinement: {cpu_s:.1f} s of CPU, {start_s:.1f} s to start it."
    )


def _timed(analysis: Analysis) -> tuple[Outcome, float]:
    """Return the outcome, and the CPU of its process, its start included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    (outcome,) = run([analysis])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return outcome, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
