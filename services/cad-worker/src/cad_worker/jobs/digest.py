"""The digest of a design: what it is, however it was built."""

import hashlib
import json
from typing import cast

from contracts.models.mechanism import Mechanism
from geometry.digest import canonical_text, digest_of_lines
from geometry.display_mesh import MAX_FACES
from geometry.occt.brep import OCCT_ERRORS, UnreadableBrepError, read_brep
from geometry.occt.measures import face_count
from pydantic import JsonValue

from cad_worker.job_protocol import DesignData, DesignDigest, PartData

DECIMALS = 6
"""Of what a mechanism says: millimetres, degrees, seconds, shares and ratios."""


def digest_of(request: DesignData) -> DesignDigest:
    """Return one digest over labels, methods, materials, geometry and mechanism; no order in them matters."""
    words = [*(_part_words(part) for part in request.parts), *_mechanism_words(request.mechanism)]
    return DesignDigest(digest=digest_of_lines(words))


def _part_words(part: PartData) -> str:
    words = [part.label, part.manufacturing_method, part.material_id, _geometry_words(part.brep)]
    said = [word for word in (part.catalog_id, part.tolerance_class) if word is not None]
    return json.dumps([*words, *said])


def _mechanism_words(mechanism: Mechanism) -> list[str]:
    """Return one canonical line for each joint, connection, motor and coupling."""
    said = mechanism.model_dump(mode="json")
    return [
        json.dumps([kind, _rounded(_in_order(item))], sort_keys=True) for kind, items in said.items() for item in items
    ]


def _in_order(item: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Name the two sides of a connection, and its fasteners, in one order: it has none."""
    if item.get("means") is None:
        return item
    sides = sorted((str(item["first"]), str(item["second"])))
    places, directions = cast("list[list[float]]", item["places_mm"]), cast("list[list[float]]", item["directions"])
    screws = sorted([*map(_round, place), *map(_round, way)] for place, way in zip(places, directions, strict=False))
    return {**item, "first": sides[0], "second": sides[1], "places_mm": None, "directions": cast("JsonValue", screws)}


def _rounded(value: JsonValue) -> JsonValue:
    """Round every number: the same joint, built in another process, differs in the last digits."""
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


def _geometry_words(brep: bytes) -> list[str]:
    try:
        contents = read_brep(brep)
        if any(face_count(solid) > MAX_FACES for solid in contents.solids):
            return ["too many faces", hashlib.sha256(brep).hexdigest()]
        return [f"{contents.others} others", *sorted(canonical_text(solid) for solid in contents.solids)]
    except (UnreadableBrepError, *OCCT_ERRORS):
        return ["unreadable", hashlib.sha256(brep).hexdigest()]
