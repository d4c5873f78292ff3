"""Rules for couplings: two joints of the right kinds, and the ratio of the wheels that mesh."""

from collections import Counter
from math import isfinite

from contracts.models.design import Finding
from contracts.models.mechanism import Coupling, Joint

from design_rules.bodies.multibody import MultibodySystem
from design_rules.suggestions import suggestion
from design_rules.transmission.meshes import NoMeshError, gear_ratio, rack_ratio, seen_from

MAX_RATIO_ERROR = 0.05
"""Of a declared ratio, relative: a wheel of 20 teeth for one of 21."""
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
    problem = _wrong_ratio(system, coupling, joints[coupling.first], joints[coupling.second])
    return None if problem is None else _invalid(coupling, f"{name} {problem}")


def _wrong_ratio(system: MultibodySystem, coupling: Coupling, first: Joint, second: Joint) -> str | None:
    """In a design, one frame carries both joints, the parts that they move mesh, and these give the ratio."""
    group_of = system.groups.group_of
    ends = [
        {group_of(label) for label in (joint.parent, joint.child) if label in system.bodies}
        for joint in (first, second)
    ]
    is_sound = all(any(joint.axis) for joint in (first, second)) and all(len(groups) == 2 for groups in ends)
    if system.environment_mechanism is None or not is_sound:
        return None  # a benchmark may couple freely; a joint without axis or two bodies has a finding of its own
    shared = ends[0] & ends[1]
    if len(shared) != 1:
        return (
            f"needs one frame that carries both joints, or the teeth move apart; {first.label} and {second.label} "
            "share none"
        )
    (frame,) = shared
    try:
        measure = gear_ratio if coupling.kind == "gear" else rack_ratio
        ratio = measure(*(seen_from(system, frame, joint) for joint in (first, second)))
    except NoMeshError as error:
        return str(error)
    if abs(coupling.ratio - ratio) <= MAX_RATIO_ERROR * abs(ratio):
        return None
    unit, write = ("", f"ratio={ratio:.4g}") if coupling.kind == "gear" else (" mm/°", f"mm_per_deg={ratio:.4g}")
    return (
        f"declares a ratio of {coupling.ratio:.4g}{unit}, but the parts that mesh give {ratio:.4g}{unit}, up to "
        f"{MAX_RATIO_ERROR:.0%} off is allowed; write {write}, or change the wheels"
    )


def _invalid(coupling: Coupling, detail: str) -> Finding:
    return Finding(rule="invalid_coupling", label=coupling.second, detail=detail)


def _over_constrained(detail: str) -> Finding:
    return Finding(rule="over_constrained", detail=detail)
