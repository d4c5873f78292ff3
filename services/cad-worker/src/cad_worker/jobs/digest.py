"""The digest of a design: equal for equal designs, however they were built."""

import hashlib
import json
from typing import cast

from contracts.models.mechanism import Mechanism
from design_rules.design_data import DesignData, PartData
from geometry.digest import canonical_text, digest_of_lines
from geometry.display_mesh import MAX_FACES
from geometry.occt.brep import OCCT_ERRORS, UnreadableBrepError, read_brep
from geometry.occt.measures import face_count
from pydantic import JsonValue

from cad_worker.job_protocol import DesignDigest

DECIMALS = 6
"""Of numbers in a mechanism: millimetres, degrees, seconds, shares and ratios."""


def digest_of(request: DesignData) -> DesignDigest:
    """Return one digest of labels, methods, materials, geometry and mechanism, in whatever order they are listed."""
    lines = [*(_part_line(part) for part in request.parts), *_mechanism_lines(request.mechanism)]
    return DesignDigest(digest=digest_of_lines(lines))


def _part_line(part: PartData) -> str:
    fields = [part.label, part.manufacturing_method, part.material_id, _geometry_fields(part.brep)]
    optional = [field for field in (part.catalog_id, part.tolerance_class) if field is not None]
    return json.dumps([*fields, *optional])


def _mechanism_lines(mechanism: Mechanism) -> list[str]:
    """Return one canonical line for each joint, connection, motor and coupling."""
    dumped = mechanism.model_dump(mode="json")
    return [
        json.dumps([kind, _rounded(_in_order(item))], sort_keys=True)
        for kind, items in dumped.items()
        for item in items
    ]


def _in_order(item: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Sort the two sides of a connection, and its fasteners, whose order means nothing."""
    if item.get("means") is None:
        return item
    sides = sorted((str(item["first"]), str(item["second"])))
    places, directions = cast("list[list[float]]", item["places_mm"]), cast("list[list[float]]", item["directions"])
    screws = sorted(
        [*map(_round, place), *map(_round, direction)] for place, direction in zip(places, directions, strict=False)
    )
    return {**item, "first": sides[0], "second": sides[1], "places_mm": None, "directions": cast("JsonValue", screws)}


def _rounded(value: JsonValue) -> JsonValue:
    """Round every number: an equal joint, built in another process, differs in the last digits."""
    match value:
        case float():
            return _round(value)
        case list():
            return [_rounded(each) for each in value]
        case dict():
            return {key: _rounded(each) for key, each in value.items()}
        case _:
            return value


def _round(value: float) -> float:
    return round(value, DECIMALS) + 0.0


def _geometry_fields(brep: bytes) -> list[str]:
    try:
        contents = read_brep(brep)
        if any(face_count(solid) > MAX_FACES for solid in contents.solids):
            return ["too many faces", hashlib.sha256(brep).hexdigest()]
        return [f"{contents.others} others", *sorted(canonical_text(solid) for solid in contents.solids)]
    except (UnreadableBrepError, *OCCT_ERRORS):
        return ["unreadable", hashlib.sha256(brep).hexdigest()]
