"""One solid, one verdict: the same solid drawn in nine ways, scaled, and with a feature added elsewhere.

Every drawing must get the findings and prices of the first, by all methods. Results are appended to a file of JSON
lines, so that an interrupted campaign goes on where it was.
"""

import json
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from random import Random

from build123d import Solid
from contracts.model import Model
from contracts.models.design import Finding, Method
from parts_catalog.materials import MATERIALS
from parts_catalog.methods.registry import METHODS
from workbenches.interface import PartOrder
from workbenches.moulding.parting import UNDERCUT
from workbenches.part_mesh import PartMesh
from workbenches.registry import WORKBENCHES

from perf.workpieces.grammar import BASES, FEATURES, draw_solid
from perf.workpieces.redrawn import REDRAWINGS
from perf.workpieces.relations import SAME, is_at_limit, lost_errors, scale_differences, undercut_at_limit
from tests.support.measurements import table

MATERIAL: dict[Method, str] = {method: facts.usual_material for method, facts in METHODS.items()}
MATERIAL["injection_molding"] = "abs"
SAME_SAMPLED = 0.1
SAMPLED = frozenset({"print_overhang", "cnc_reach", "mould_uniformity"})
"""Rules whose value is that of a few samples, and their tolerance."""

NOT_DRAWN = "OCCT crashed while it was drawn"
PROCESSES = get_context("forkserver")
PROCESSES.set_forkserver_preload(["perf.quotes.metamorphic"])

Verdict = dict[Method, tuple[tuple[Finding, ...], float]]


class SolidResult(Model):
    """What became of one solid."""

    seed: int
    operations: str
    drawn: tuple[str, ...]
    """Names of the relations that could be tried."""
    differences: tuple[str, ...] = ()
    """`relation: what differs`."""
    at_limit: tuple[str, ...] = ()
    """Findings that only one drawing has, whose value is as near to the limit as values may differ."""
    rules: dict[str, int]


def campaign(seeds: range, processes: int, record: Path) -> list[SolidResult]:
    """Try all seeds that the record lacks; print each difference; return the results of all seeds."""
    known = {each.seed: each for each in _recorded(record)}
    left = [seed for seed in seeds if seed not in known]
    record.parent.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(processes) as threads, record.open("a") as file:
        for count, result in enumerate(threads.map(_tried, left), 1):
            known[result.seed] = result
            print(result.model_dump_json(), file=file, flush=True)
            print(f"[{count}/{len(left)}] seed {result.seed}: {len(result.differences)} differences", file=sys.stderr)
    return [known[seed] for seed in seeds]


def campaign_text(results: list[SolidResult]) -> str:
    """Return the results as Markdown."""
    drawn = Counter(name for each in results for name in each.drawn)
    differing = Counter(text.split(":")[0] for each in results for text in each.differences)
    near = Counter(text.split(":")[0] for each in results for text in each.at_limit)
    rows = [(name, str(count), str(differing[name]), str(near[name])) for name, count in sorted(drawn.items())]
    operations = Counter(
        name for each in results if each.operations != NOT_DRAWN for name in each.operations.split(" + ")
    )
    rules = sum((Counter(each.rules) for each in results), Counter[str]())
    texts = [
        f"- seed {each.seed} ({each.operations}), {text}"
        for each in results
        for text in (*each.differences, *each.at_limit)
    ]
    lists = (("Operations", operations), ("Findings", rules))
    crashed = sum(each.operations == NOT_DRAWN for each in results)
    used = f"{len(operations)} of {len(BASES) + len(FEATURES)} operations"
    return "\n\n".join(
        [
            table(("relation", "solids", "differ", "at a limit"), rows),
            f"{len(results) - crashed} solids, {drawn.total()} drawings, {used}; OCCT crashed on {crashed} before.",
            *(
                f"{title}: {', '.join(f'{name} {count}' for name, count in sorted(found.items()))}."
                for title, found in lists
            ),
            f"**{differing.total()} differences; {near.total()} findings at a limit.**",
            "\n".join(texts),
        ]
    )


def try_solid(seed: int) -> SolidResult:
    """Judge the solid of a seed in all drawings."""
    solid, operations = draw_solid(seed)
    mesh = PartMesh.of(solid)
    first = judge_mesh(mesh)
    drawn = ["scaled", "feature added"]
    differing = [f"scaled: {text}" for text in scale_differences(mesh, Random(seed))]  # noqa: S311
    differing += [f"feature added: {text}" for text in lost_errors(mesh, first, judge_mesh)]
    near: list[str] = []
    for name, redraw in REDRAWINGS.items():
        again = redraw(solid, Random(seed))  # noqa: S311
        if again is None:
            continue
        drawn.append(name)
        other = PartMesh.of(again)
        verdict = judge_mesh(other)
        found = differences(first, verdict)
        if hidden := any(text.startswith("injection_molding") for text in found) and undercut_at_limit(mesh, other):
            near.append(f"{name}: injection_molding mould_undercut: a face hidden by {hidden:.4f} at {UNDERCUT:g}")
            found = [text for text in found if not text.startswith("injection_molding")]
        differing += [f"{name}: {text}" for text in found]
        near += [f"{name}: {text}" for text in at_limits(first, verdict)]
    rules = Counter(finding.rule for found, _ in first.values() for finding in found)
    return SolidResult(
        seed=seed,
        operations=operations,
        drawn=tuple(drawn),
        differences=tuple(differing),
        at_limit=tuple(near),
        rules=dict(rules),
    )


def _tried(seed: int) -> SolidResult:
    """Judge in a process of its own: OCCT crashes on some fillets."""
    with ProcessPoolExecutor(1, PROCESSES) as pool:
        task = pool.submit(try_solid, seed)
        error = task.exception()
    if error is None:
        return task.result()
    with ProcessPoolExecutor(1, PROCESSES) as pool:
        drawing = pool.submit(operations_of, seed)
        if drawing.exception() is not None:
            return SolidResult(seed=seed, operations=NOT_DRAWN, drawn=(), rules={})
        print(*traceback.format_exception(error), file=sys.stderr)
        differences = (f"judged: {error!r}",)
        return SolidResult(seed=seed, operations=drawing.result(), drawn=("judged",), differences=differences, rules={})


def operations_of(seed: int) -> str:
    """Return the names of the operations by which the solid of a seed is drawn."""
    return draw_solid(seed)[1]


def judge(solid: Solid) -> Verdict:
    """Return findings and unit price of a solid for each method."""
    return judge_mesh(PartMesh.of(solid))


def judge_mesh(mesh: PartMesh) -> Verdict:
    """Return the same of a solid that is triangulated already."""
    verdicts: Verdict = {}
    for method, bench in WORKBENCHES.items():
        order = PartOrder(label="part", material=MATERIALS[MATERIAL[method]], quantity=100)
        verdicts[method] = bench.findings(mesh, order), bench.price(mesh, order).unit_price_usd
    return verdicts


def differences(one: Verdict, other: Verdict) -> list[str]:
    """Return sentences about what differs between two verdicts on the same solid."""
    found: list[str] = []
    for method, (findings, price) in one.items():
        others, near = other[method][0], _at_limit(findings, other[method][0])
        for rule, mine, theirs in _by_rule(findings, others):
            left = [each for each in (*_unpaired(mine, theirs), *_unpaired(theirs, mine)) if each not in near]
            if left:
                values = (_short(mine), _short(theirs))
                found.append(f"{method} {rule}: {values[0]} and {values[1]}")
        if abs(price - other[method][1]) > SAME * price and not near:
            found.append(f"{method} price: {price:.2f} and {other[method][1]:.2f} USD")
    return found


def at_limits(one: Verdict, other: Verdict) -> list[str]:
    """Return sentences about findings of one verdict only that are at their limit."""
    return [
        f"{method} {finding.rule} {finding.severity}: {finding.measured:.3f} at {finding.limit:g}"
        for method, (findings, _) in one.items()
        for finding in _at_limit(findings, other[method][0])
    ]


def _at_limit(findings: tuple[Finding, ...], others: tuple[Finding, ...]) -> list[Finding]:
    return [
        finding
        for _, mine, theirs in _by_rule(findings, others)
        for finding in (*_unpaired(mine, theirs), *_unpaired(theirs, mine))
        if is_at_limit(finding)
    ]


def _by_rule(
    findings: tuple[Finding, ...], others: tuple[Finding, ...]
) -> Iterator[tuple[str, list[Finding], list[Finding]]]:
    for rule in sorted({(each.rule, each.severity) for each in (*findings, *others)}):
        mine, theirs = ([each for each in side if (each.rule, each.severity) == rule] for side in (findings, others))
        yield " ".join(rule), mine, theirs


def _unpaired(findings: list[Finding], others: list[Finding]) -> list[Finding]:
    """Return the findings that have no equal one among the others; each of these stands for one."""
    left = sorted(others, key=_measured)
    unpaired: list[Finding] = []
    for finding in sorted(findings, key=_measured):
        same = SAME_SAMPLED if finding.rule in SAMPLED else SAME
        equal = [
            each
            for each in left
            if abs(_measured(each) - _measured(finding)) <= same * max(1.0, abs(_measured(finding)))
        ]
        if equal:
            left.remove(equal[0])
        else:
            unpaired.append(finding)
    return unpaired


def _measured(finding: Finding) -> float:
    return finding.measured or 0.0


def _short(findings: list[Finding]) -> str:
    values = sorted(map(_measured, findings))
    return f"{len(values)} x [{', '.join(f'{value:.3f}' for value in values[:6])}]"


def _recorded(record: Path) -> list[SolidResult]:
    if not record.exists():
        return []
    return [SolidResult.model_validate(json.loads(line)) for line in record.read_text("utf-8").splitlines()]
