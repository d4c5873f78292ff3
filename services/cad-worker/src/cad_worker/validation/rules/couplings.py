"""Rules for couplings: two joints of the right kinds, bound by a ratio that means something."""

from collections import Counter
from itertools import product
from math import isfinite

from contracts.models.design import Finding
from contracts.models.mechanism import Coupling, Joint
from geometry.formatting import format_mm

from cad_worker.validation.distances import gap_mm, touch
from cad_worker.validation.rigid_groups import Machine
from cad_worker.validation.suggestions import suggestion

MESHING_MM = 1.0
"""Farther apart, teeth do not reach each other."""
KINDS = {"gear": ("revolute", "revolute"), "rack": ("revolute", "linear")}


def coupling_findings(machine: Machine) -> list[Finding]:
    """Report couplings that bind nothing, the wrong things, or one joint twice."""
    couplings = machine.mechanism.couplings
    found = [problem for coupling in couplings if (problem := _problem(machine, coupling)) is not None]
    pairs = Counter(frozenset((coupling.first, coupling.second)) for coupling in couplings)
    driven = Counter(coupling.second for coupling in couplings)
    twice = [pair for pair, count in pairs.items() if count > 1]
    found += [_over(f"{' and '.join(sorted(pair))} are coupled {pairs[pair]} times; once is enough") for pair in twice]
    return found + [
        _over(f"{joint} is the second of {count} couplings, which ask different things of it; chain them instead")
        for joint, count in driven.items()
        if count > 1 and not any(joint in pair for pair in twice)
    ]


def _problem(machine: Machine, coupling: Coupling) -> Finding | None:
    name = f"{coupling.kind} of {coupling.first} and {coupling.second}"
    joints = {joint.label: joint for joint in machine.mechanism.joints}
    for label in (coupling.first, coupling.second):
        if label not in joints:
            return _invalid(coupling, f"{name}: there is no joint {label!r}; {suggestion(label, joints)}")
    if coupling.first == coupling.second:
        return _invalid(coupling, f"{name} binds a joint to itself; name two joints")
    kinds = (joints[coupling.first].kind, joints[coupling.second].kind)
    if kinds != KINDS[coupling.kind]:
        wanted = " and a ".join(KINDS[coupling.kind])
        return _invalid(coupling, f"{name} binds a {kinds[0]} and a {kinds[1]} joint, but needs a {wanted} one")
    if coupling.ratio == 0 or not isfinite(coupling.ratio):
        return _invalid(
            coupling,
            f"{name} has a ratio of {coupling.ratio:g}, which moves nothing; gears: minus teeth of the first over "
            "teeth of the second, rack: millimetres per degree",
        )
    problem = _not_in_mesh(machine, joints[coupling.first], joints[coupling.second])
    return None if problem is None else _invalid(coupling, f"{name} {problem}")


def _not_in_mesh(machine: Machine, first: Joint, second: Joint) -> str | None:
    """Of a design, teeth reach each other: one frame carries both joints, and what they move meets."""
    of = machine.groups.of
    ends = [
        {of(label) for label in (joint.parent, joint.child) if label in machine.bodies} for joint in (first, second)
    ]
    if machine.surroundings is None or any(len(groups) < 2 for groups in ends):
        return None  # a benchmark may drive its world as it likes; a joint that binds nothing has a finding of its own
    shared = ends[0] & ends[1]
    if len(shared) != 1:
        return f"needs one frame that carries both, else the teeth part; {first.label} and {second.label} share none"
    wheels = [[body for body in machine.bodies.values() if of(body.label) in groups - shared] for groups in ends]
    if any(touch(one, other, MESHING_MM) for one, other in product(*wheels)):
        return None
    gap = min(gap_mm(one, other) for one, other in product(*wheels))
    return (
        f"binds parts that are {format_mm(gap)} apart, at most {format_mm(MESHING_MM)} is believed; model wheels or racks that meet, "
        "or chain couplings over wheels in between"
    )


def _invalid(coupling: Coupling, detail: str) -> Finding:
    return Finding(rule="invalid_coupling", label=coupling.second, detail=detail)


def _over(detail: str) -> Finding:
    return Finding(rule="over_constrained", detail=detail)
