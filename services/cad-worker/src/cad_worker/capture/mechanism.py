"""What a script says in `metadata["mechanism"]`, with what its joints say."""

from collections.abc import Iterator
from typing import Any, TypeVar, cast

from build123d.topology import Shape
from contracts.model import Model
from contracts.models.mechanism import Connection, Coupling, Joint, Mechanism, Motor
from kernel.api.mechanism_api import JointBearing
from pydantic import ValidationError

from cad_worker.capture.joints import JointReader, joints_of
from cad_worker.capture.placed_shapes import branches, placed
from cad_worker.job_protocol import NotADesignError

WORDS = "bonded, fastened, drive, gears, rack, carried and bond_contacts of utils"
M = TypeVar("M", bound=Model)
Said = Connection | Motor | Coupling | JointBearing
_DEEPEST = 8
"""Lists within lists."""


def capture_mechanism(root: Shape[Any], environment: Shape[Any] | None, *, is_whole: bool) -> Mechanism:
    """Return what holds and moves a design, or an environment; raise `NotADesignError`."""
    own = placed(root)
    said = [item for shape in (*branches(root), *(each.shape for each in own)) for item in _declared(shape)]
    _must_not_join_groups(root)
    world = () if environment is None else placed(environment)
    joined = JointReader(own, world, is_whole=is_whole).read()
    declared = [item for item in said if isinstance(item, Connection)]
    pairs = {frozenset((each.first, each.second)) for each in declared}
    bonds = [bond for bond in joined.bonds if frozenset((bond.first, bond.second)) not in pairs]
    bearings = {item.joint: item.bearing_id for item in said if isinstance(item, JointBearing)}
    if is_whole:
        _must_carry(bearings, joined.joints)
    return Mechanism(
        joints=tuple(joint.model_copy(update={"bearing_id": bearings.get(joint.label)}) for joint in joined.joints),
        connections=(*bonds, *declared),
        motors=tuple(item for item in said if isinstance(item, Motor)),
        couplings=tuple(item for item in said if isinstance(item, Coupling)),
    )


def _declared(shape: Shape[Any]) -> Iterator[Said]:
    metadata: object = getattr(shape, "metadata", None)
    said = cast("dict[object, object]", metadata).get("mechanism", ()) if isinstance(metadata, dict) else ()
    return _flat(said, 0)


def _flat(said: object, depth: int) -> Iterator[Said]:
    """Yield what stands in lists within lists."""
    if isinstance(said, list | tuple) and depth < _DEEPEST:
        for item in cast("list[object]", said):
            yield from _flat(item, depth + 1)
    elif isinstance(said, Connection):
        yield _anew(Connection, said)
    elif isinstance(said, Motor):
        yield _anew(Motor, said)
    elif isinstance(said, Coupling):
        yield _anew(Coupling, said)
    elif isinstance(said, JointBearing):
        yield _anew(JointBearing, said)
    else:
        what = type(cast("object", said)).__name__
        raise NotADesignError(f"metadata['mechanism'] holds a {what}; it is a list of {WORDS}")


def _anew(kind: type[M], said: M) -> M:
    """Return a value made of its data alone: an agent may have built it somehow."""
    try:
        return kind.model_validate(Model.model_dump(said, warnings=False))
    except ValidationError as error:
        raise NotADesignError(f"metadata['mechanism'] holds a faulty {kind.__name__}: {error}") from error


def _must_carry(bearings: dict[str, str], joints: tuple[Joint, ...]) -> None:
    names = [joint.label for joint in joints]
    for label in bearings:
        if label not in names:
            there = ", ".join(names) or "none"
            raise NotADesignError(f"carried names the joint {label!r}, which is not there; the joints are: {there}")


def _must_not_join_groups(root: Shape[Any]) -> None:
    for shape in branches(root):
        for joint in joints_of(shape):
            if joint.connected_to is not None:
                raise NotADesignError(
                    f"joint {str(joint.label)[:80]!r} sits on {str(shape.label)[:80]!r}, a Compound with children; "
                    "bind it to one of its parts"
                )
