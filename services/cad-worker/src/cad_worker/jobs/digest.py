"""The digest of a design: what it is, however it was built."""

import hashlib
import json

from cad_worker.exchange import DesignData, DesignDigest, PartData
from cad_worker.geometry.canonical import digest_of_words, solid_words
from cad_worker.geometry.occt import OCCT_ERRORS, UnreadableBrepError, read_brep


def digest_of(request: DesignData) -> DesignDigest:
    """Return one digest over labels, methods, materials and geometry; the order of parts does not matter."""
    return DesignDigest(digest=digest_of_words([_part_words(part) for part in request.parts]))


def _part_words(part: PartData) -> str:
    return json.dumps([part.label, part.manufacturing_method, part.material_id, _geometry_words(part.brep)])


def _geometry_words(brep: bytes) -> list[str]:
    try:
        contents = read_brep(brep)
        return [f"{contents.others} others", *sorted(solid_words(solid) for solid in contents.solids)]
    except (UnreadableBrepError, *OCCT_ERRORS):
        return ["unreadable", hashlib.sha256(brep).hexdigest()]
