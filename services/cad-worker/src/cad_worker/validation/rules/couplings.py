"""Rules for couplings: two joints of the right kinds, with a ratio that moves something, whose teeth meet."""

from collections import Counter
from itertools import product
from math import isfinite

from contracts.models.design import Finding
from contracts.models.mechanism import Coupling, Joint
from geometry.formatting import format_mm

from cad_worker.validation.distances import are_touching, gap_mm
from cad_worker.validation.multibody import MultibodySystem
from cad_worker.validation.suggestions import suggestion

MESHING_MM = 1.0
"""Largest distance over which teeth mesh."""
KINDS = {"gear": ("revolute", "revolute"), "rack": ("revolute", "linear")}


def coupling_findings(system: MultibodySystem) -> list[Finding]:
    """Report couplings that couple nothing, the wrong joints, or one joint twice."""
    couplings = system.mechanism.couplings
    findings = [finding for coupling in couplings if (finding := _finding(system, coupling)) is not None]
    pairs = Counter(frozenset((coupling.first, coupling.second)) for coupling in couplings)
    driven = Counter(coupling.second for coupling in couplings)
    repeated = [pair for pair, count in pairs.items() if count > 1]
    findings += [
        _over_constrained(f"{' and '.join(sorted(pair))} are coupled {pairs[pair]} times; keep one coupling")
        for pair in repeated
    ]
    return findings + [
        _over_constrained(f"{joint} is the second joint of {count} couplings, which contradict; chain them instead")
        for joint, count in driven.items()
        if count > 1 and not any(joint in pair for pair in repeated)
    ]


def _finding(system: MultibodySystem, coupling: Coupling) -> Finding | None:
    name = f"{coupling.kind} of {coupling.first} and {coupling.second}"
    joints = {joint.label: joint for joint in system.mechanism.joints}
    for label in (coupling.first, coupling.second):
        if label not in joints:
            return _invalid(coupling, f"{name}: joint {label!r} does not exist; {suggestion(label, joints)}")
    if coupling.first == coupling.second:
        return _invalid(coupling, f"{name} couples a joint to itself; name two joints")
    kinds = (joints[coupling.first].kind, joints[coupling.second].kind)
    if kinds != KINDS[coupling.kind]:
        needed = " and a ".join(KINDS[coupling.kind])
        return _invalid(coupling, f"{name} couples a {kinds[0]} and a {kinds[1]} joint, it needs a {needed} joint")
    if coupling.ratio == 0 or not isfinite(coupling.ratio):
        return _invalid(
            coupling,
            f"{name} has a ratio of {coupling.ratio:g}, which moves nothing; gears: minus teeth of the first over "
            "teeth of the second, rack: millimetres per degree",
        )
    problem = _not_in_mesh(system, joints[coupling.first], joints[coupling.second])
    return None if problem is None else _invalid(coupling, f"{name} {problem}")


def _not_in_mesh(system: MultibodySystem, first: Joint, second: Joint) -> str | None:
    """In a design, teeth must reach each other: one frame carries both joints, and the parts that they move meet."""
    group_of = system.groups.group_of
    ends = [
        {group_of(label) for label in (joint.parent, joint.child) if label in system.bodies}
        for joint in (first, second)
    ]
    if system.environment_mechanism is None or any(len(groups) < 2 for groups in ends):
        return None  # a benchmark may couple freely; a joint without two bodies has a finding of its own
    shared = ends[0] & ends[1]
    if len(shared) != 1:
        return (
            f"needs one frame that carries both joints, or the teeth move apart; {first.label} and {second.label} "
            "share none"
        )
    wheels = [[body for body in system.bodies.values() if group_of(body.label) in groups - shared] for groups in ends]
    if any(are_touching(one, other, MESHING_MM) for one, other in product(*wheels)):
        return None
    gap = min(gap_mm(one, other) for one, other in product(*wheels))
    return (
        f"couples parts that are {format_mm(gap)} apart, the maximum is {format_mm(MESHING_MM)}; model wheels or racks "
        "that meet, or chain couplings over wheels in between"
    )


def _invalid(coupling: Coupling, detail: str) -> Finding:
    return Finding(rule="invalid_coupling", label=coupling.second, detail=detail)


def _over_constrained(detail: str) -> Finding:
    return Finding(rule="over_constrained", detail=detail)
