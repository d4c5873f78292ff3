"""Rules for couplings: two joints of the right kinds, bound by a ratio that means something."""

from collections import Counter
from math import isfinite

from contracts.design import Finding
from contracts.mechanism import Coupling

from cad_worker.rigidity import Machine
from cad_worker.rules.wording import named

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
            return _invalid(coupling, f"{name}: there is no joint {label!r}; {named(label, joints)}")
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
    return None


def _invalid(coupling: Coupling, detail: str) -> Finding:
    return Finding(rule="invalid_coupling", label=coupling.second, detail=detail)


def _over(detail: str) -> Finding:
    return Finding(rule="over_constrained", detail=detail)
