"""Capture of a mechanism: the joints of the shapes, and the declarations in `metadata["mechanism"]`."""

from collections.abc import Iterator
from typing import Any, TypeVar, cast

from build123d.topology import Shape
from contracts.model import Model
from contracts.models.mechanism import Connection, Coupling, Joint, Mechanism, Motor
from kernel.api.mechanism_api import JointBearing
from pydantic import ValidationError

from cad_worker.capture.joints import JointReader, joints_of
from cad_worker.capture.placed_shapes import groups, placed_shapes
from cad_worker.job_protocol import NotADesignError

FUNCTIONS = "glue, screw, bearing, drive, gears, rack and bond_contacts of utils"
MAX_DEPTH = 8
"""Of lists within lists."""
M = TypeVar("M", bound=Model)
Declaration = Connection | Motor | Coupling | JointBearing


def capture_mechanism(root: Shape[Any], environment: Shape[Any] | None, *, is_whole: bool) -> Mechanism:
    """Return the mechanism of a design, or of an environment; raise `NotADesignError`."""
    own = placed_shapes(root)
    declared = [each for shape in (*groups(root), *(each.shape for each in own)) for each in _declarations(shape)]
    _require_joints_on_parts(root)
    others = () if environment is None else placed_shapes(environment)
    captured = JointReader(own, others, is_whole=is_whole).read()
    connections = [each for each in declared if isinstance(each, Connection)]
    pairs = {frozenset((each.first, each.second)) for each in connections}
    bonds = [bond for bond in captured.bonds if frozenset((bond.first, bond.second)) not in pairs]
    bearings = {each.joint: each.bearing_id for each in declared if isinstance(each, JointBearing)}
    if is_whole:
        _require_joints_of(bearings, captured.joints)
    return Mechanism(
        joints=tuple(joint.model_copy(update={"bearing_id": bearings.get(joint.label)}) for joint in captured.joints),
        connections=(*bonds, *connections),
        motors=tuple(each for each in declared if isinstance(each, Motor)),
        couplings=tuple(each for each in declared if isinstance(each, Coupling)),
    )


def _declarations(shape: Shape[Any]) -> Iterator[Declaration]:
    metadata: object = getattr(shape, "metadata", None)
    declared = cast("dict[object, object]", metadata).get("mechanism", ()) if isinstance(metadata, dict) else ()
    return _flatten(declared, 0)


def _flatten(declared: object, depth: int) -> Iterator[Declaration]:
    """Yield the items of lists within lists."""
    if isinstance(declared, list | tuple) and depth < MAX_DEPTH:
        for item in cast("list[object]", declared):
            yield from _flatten(item, depth + 1)
    elif isinstance(declared, Connection):
        yield _revalidated(Connection, declared)
    elif isinstance(declared, Motor):
        yield _revalidated(Motor, declared)
    elif isinstance(declared, Coupling):
        yield _revalidated(Coupling, declared)
    elif isinstance(declared, JointBearing):
        yield _revalidated(JointBearing, declared)
    else:
        name = type(cast("object", declared)).__name__
        raise NotADesignError(f"metadata['mechanism'] contains a {name}; it is a list of results of {FUNCTIONS}")


def _revalidated(kind: type[M], declared: M) -> M:
    """Return a copy made from the data alone: an agent may have built or changed the object without validation."""
    try:
        return kind.model_validate(Model.model_dump(declared, warnings=False))
    except ValidationError as error:
        raise NotADesignError(f"metadata['mechanism'] contains an invalid {kind.__name__}: {error}") from error


def _require_joints_of(bearings: dict[str, str], joints: tuple[Joint, ...]) -> None:
    labels = [joint.label for joint in joints]
    for label in bearings:
        if label not in labels:
            known = ", ".join(labels) or "none"
            raise NotADesignError(f"carried names the joint {label!r}, which does not exist; the joints are: {known}")


def _require_joints_on_parts(root: Shape[Any]) -> None:
    for shape in groups(root):
        for joint in joints_of(shape):
            if joint.connected_to is not None:
                raise NotADesignError(
                    f"joint {str(joint.label)[:80]!r} is on {str(shape.label)[:80]!r}, a Compound with children; put "
                    "it on one of its parts"
                )
