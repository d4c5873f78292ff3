"""One solid, one verdict: `./run perf metamorphic [--solids 2000] [--seed 0]`.

Draws solids from a grammar (perf/workpieces/grammar.py), draws each again in eight ways (perf/workpieces/redrawn.py),
and compares findings and prices of all methods. Prints Markdown; the exit code is 1 if any two differ.
"""

import argparse
import sys
from collections import Counter
from random import Random
from time import perf_counter

from build123d import Solid
from contracts.models.design import Finding, Method
from parts_catalog.materials import MATERIALS
from parts_catalog.methods.registry import METHODS
from workbenches.interface import PartOrder
from workbenches.part_mesh import PartMesh
from workbenches.registry import WORKBENCHES

from perf.workpieces.grammar import draw_solid
from perf.workpieces.redrawn import REDRAWINGS
from tests.support.measurements import setting, table

PACKAGES = ("build123d", "numpy", "trimesh")
MATERIAL: dict[Method, str] = {method: facts.usual_material for method, facts in METHODS.items()}
MATERIAL["injection_molding"] = "abs"
SAME = 0.02
"""Relative difference of measured values and prices that count as equal, and as many millimetres or degrees."""

Verdict = dict[Method, tuple[tuple[Finding, ...], float]]


def main() -> int:
    """Run the campaign, print what differs, and return the exit code."""
    parser = argparse.ArgumentParser(description="One solid, one verdict.")
    parser.add_argument("--solids", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0, help="of the first solid")
    options = parser.parse_args()
    print(f"# One solid, one verdict\n\n{setting(PACKAGES)}\n", flush=True)
    drawn, differing, operations, rules = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    started = perf_counter()
    for seed in range(options.seed, options.seed + options.solids):
        solid, names = draw_solid(seed)
        operations.update(names.split(" + "))
        first = judge(solid)
        rules.update(finding.rule for found, _ in first.values() for finding in found)
        for name, redraw in REDRAWINGS.items():
            again = redraw(solid, Random(seed))  # noqa: S311
            if again is None:
                continue
            drawn[name] += 1
            found = differences(first, judge(again))
            differing[name] += bool(found)
            for difference in found:
                print(f"- seed {seed} ({names}), {name}: {difference}", flush=True)
    rows = [(name, str(drawn[name]), str(differing[name])) for name in REDRAWINGS]
    print("\n" + table(("drawn again", "solids", "differ"), rows))
    seconds = perf_counter() - started
    print(f"\n{options.solids} solids from seed {options.seed} on, {drawn.total()} drawings, {seconds:.0f} s.")
    for title, counts in (("Operations", operations), ("Findings", rules)):
        print(f"\n{title}: {', '.join(f'{name} {count}' for name, count in sorted(counts.items()))}.")
    print(f"\n**{differing.total()} differences.**")
    return 1 if differing.total() else 0


def judge(solid: Solid) -> Verdict:
    """Return findings and unit price of a solid for each method."""
    mesh = PartMesh.of(solid)
    verdicts: Verdict = {}
    for method, bench in WORKBENCHES.items():
        order = PartOrder(label="part", material=MATERIALS[MATERIAL[method]], quantity=100)
        verdicts[method] = bench.findings(mesh, order), bench.price(mesh, order).unit_price_usd
    return verdicts


def differences(one: Verdict, other: Verdict) -> list[str]:
    """Return sentences about what differs between two verdicts on the same solid."""
    found: list[str] = []
    for method, (findings, price) in one.items():
        rows, others = _rows(findings), _rows(other[method][0])
        for rule in sorted(rows.keys() | others.keys()):
            mine, theirs = rows.get(rule, []), others.get(rule, [])
            same = len(mine) == len(theirs) and all(map(_are_equal, mine, theirs))
            if not same:
                found.append(f"{method} {' '.join(rule)}: {_short(mine)} and {_short(theirs)}")
        if abs(price - other[method][1]) > SAME * price:
            found.append(f"{method} price: {price:.2f} and {other[method][1]:.2f} USD")
    return found


def _rows(findings: tuple[Finding, ...]) -> dict[tuple[str, str], list[float]]:
    rows: dict[tuple[str, str], list[float]] = {}
    for finding in findings:
        rows.setdefault((finding.rule, finding.severity), []).append(finding.measured or 0.0)
    return {rule: sorted(values) for rule, values in rows.items()}


def _are_equal(one: float, other: float) -> bool:
    return abs(one - other) <= SAME * max(1.0, abs(one))


def _short(values: list[float]) -> str:
    return f"{len(values)} x [{', '.join(f'{value:.3f}' for value in values[:6])}]"


if __name__ == "__main__":
    sys.exit(main())
