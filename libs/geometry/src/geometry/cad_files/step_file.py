"""STEP files: their solids, with what was closed, turned or left out."""

import re

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.
from collections import Counter
from collections.abc import Iterator, Sequence

from build123d import Solid
from OCP.BRep import BRep_Tool
from OCP.TopoDS import TopoDS, TopoDS_Shape

from geometry.cad_files.contents import CadFile, NamedSolid, UnusableFileError
from geometry.cad_files.explored import Kind, in_words, loose_pieces, pieces_of
from geometry.cad_files.overlaps import overlap_note
from geometry.cad_files.skins import SHOWN_GAP_MM, Opening, Skin, closed_skin, opening_of, right_side_out
from geometry.cad_files.step_products import Product, StepShapes, read_products
from geometry.display_mesh import MAX_FACES
from geometry.formatting import format_mm, format_point
from geometry.occt.measures import placement

_END = b"END-ISO-10303-21"
_DATA = re.compile(rb"\bDATA\s*(?:\([^;]*\)\s*)?;(.*)", re.IGNORECASE | re.DOTALL)
_ENTITY = re.compile(rb"#\d+\s*=")
_REFERENCE = re.compile(rb"#(\d+)(\s*=)?")
_EMPTY_LOOP = re.compile(rb"#\d+\s*=\s*EDGE_LOOP\s*\(\s*'(?:[^']|'')*'\s*,\s*\(\s*\)\s*\)", re.IGNORECASE)
_STRING = re.compile(rb"'(?:[^']|'')*'")
_AGAIN = "export it again"


def require_whole(text: bytes) -> None:
    """Raise `UnusableFileError` for a file that ends early, or whose DATA section is missing or empty."""
    if _END not in text[-4096:].upper() and _END not in text.upper():
        raise UnusableFileError(
            "truncated", f"ends early or is damaged: its last line, {_END.decode()};, is missing; copy or {_AGAIN}"
        )
    data = _DATA.search(text)
    if data is None or _ENTITY.search(data.group(1)) is None:
        raise UnusableFileError("no_shape", f"has no shape in it: its DATA section is empty; {_AGAIN} with the part")


def fault_of(text: bytes) -> str:
    """Return what is wrong with the entities of a file that gave no usable shape; empty if nothing is known."""
    if _EMPTY_LOOP.search(text):
        return "a face has no edges (an EDGE_LOOP is empty)"
    defined: set[bytes] = set()
    named: set[bytes] = set()
    for number, is_definition in _REFERENCE.findall(_STRING.sub(b"''", text)):
        (defined if is_definition else named).add(number)
    missing = named - defined
    if missing:
        first = min(missing, key=int).decode()
        return f"it names #{first}, which is not in it" + (f", and {len(missing) - 1} more" if len(missing) > 1 else "")
    return ""


_EXPORT = "export the part as a solid"


def read_step_file(text: bytes, name: str) -> CadFile:
    """Return the solids of a STEP file; raise `UnusableFileError`."""
    require_whole(text)
    shapes = read_products(text, name)
    if shapes is None:
        raise _damaged(fault_of(text) or "its text breaks off")
    notes: list[str] = []
    solids = list(_solids(shapes, notes))
    if not solids:
        solids = _from_surfaces(shapes, text, name, notes)
    elif overlap := overlap_note(shapes.roots, solids):
        notes.append(overlap)
    return CadFile("step", tuple(solids), tuple(notes))


def _solids(shapes: StepShapes, notes: list[str]) -> Iterator[NamedSolid]:
    """Yield the solids of every product; note what is left out."""
    left_out: Counter[Kind] = Counter()
    for product in shapes.products:
        found = [TopoDS.Solid(each) for each in pieces_of(product.shape, "SOLID")]
        if found:
            yield from _numbered(product, [Solid(each) for each in found], notes)
        elif faces := _few_faces(product.shape):
            skin = closed_skin(faces)
            if skin.solids and skin.opening is None:
                _note_closed(product.name, skin, notes)
                yield from _numbered(product, skin.solids, notes)
                continue
        left_out += loose_pieces(product.shape)
    _note_left_out(left_out, notes)


def _few_faces(shape: TopoDS_Shape) -> list[TopoDS_Shape]:
    """Return the faces of a shape that may be a skin."""
    faces = pieces_of(shape, "FACE")
    if any(not pieces_of(face, "EDGE") for face in faces):
        return []
    return faces if 1 < len(faces) <= MAX_FACES or (faces and opening_of(shape) is None) else []


def _numbered(product: Product, solids: Sequence[Solid], notes: list[str]) -> Iterator[NamedSolid]:
    """Yield each solid of a product; copies that share their geometry are one."""
    shared = [placement(solid.wrapped)[0] for solid in solids]
    counts = Counter(map(id, shared))
    firsts = {id(geometry): solid for geometry, solid in zip(reversed(shared), reversed(solids), strict=True)}
    for number, (geometry, solid) in enumerate(reversed(firsts.items()), start=1):
        name = product.name if len(firsts) == 1 else f"{product.name} #{number}"
        closed, fault = _closed(solid, name, notes)
        turned, was_inside_out = right_side_out(closed)
        if was_inside_out and fault is None:
            notes.append(f"{name} was inside out and was turned")
        yield NamedSolid(name, turned, product.count * counts[geometry], fault=fault)


def _closed(solid: Solid, name: str, notes: list[str]) -> tuple[Solid, UnusableFileError | None]:
    """Return a solid with the small gaps of its skin closed, or what is wrong with it."""
    if opening_of(solid.wrapped) is None:
        return solid, None
    skin = closed_skin(pieces_of(solid.wrapped, "FACE"))
    if skin.opening is not None or len(skin.solids) != 1:
        return solid, _open(skin.opening or opening_of(solid.wrapped), "its skin")
    _note_closed(name, skin, notes)
    return skin.solids[0], None


def _from_surfaces(shapes: StepShapes, text: bytes, name: str, notes: list[str]) -> list[NamedSolid]:
    """Return the solids that the surfaces of all products bound together; `notes` are replaced."""
    notes.clear()
    pieces: Counter[Kind] = Counter()
    for root in shapes.roots:
        pieces += loose_pieces(root)
    faces = [face for root in shapes.roots for face in pieces_of(root, "FACE")]
    _require_faces(faces, pieces, text)
    skin = closed_skin(faces)
    if not skin.solids:
        raise _open_surface(faces, pieces, skin, text)
    _note_closed(name, skin, notes)
    if skin.opening is not None:
        notes.append(f"left out: surfaces that are open around {format_point(skin.opening.place_mm)}")
    del pieces["FACE"]
    _note_left_out(pieces, notes)
    return list(_numbered(Product(name, shapes.roots[0], 1), skin.solids, notes))


def _require_faces(faces: Sequence[TopoDS_Shape], pieces: Counter[Kind], text: bytes) -> None:
    """Raise `UnusableFileError` for faces that cannot be sewn."""
    if not faces:
        raise _nothing_solid(pieces, text)
    if len(faces) > MAX_FACES:
        raise UnusableFileError(
            "too_complex", f"has {len(faces)} loose faces, at most {MAX_FACES} are joined; {_EXPORT}"
        )
    if any(BRep_Tool.Surface_s(TopoDS.Face(face)) is None for face in faces):
        raise UnusableFileError(
            "surfaces_only", f"has no solid in it, only triangles; {_EXPORT}, or the mesh as STL or 3MF"
        )
    if any(not pieces_of(face, "EDGE") for face in faces):
        raise _damaged(fault_of(text) or "a face has no edges")


def _open_surface(faces: Sequence[TopoDS_Shape], pieces: Counter[Kind], skin: Skin, text: bytes) -> UnusableFileError:
    """Return what is wrong with faces that bound nothing; those that hardly touch each other are not a skin at all."""
    if fault := fault_of(text):
        return _damaged(fault)
    edges = sum(len(pieces_of(face, "EDGE")) for face in faces)
    if len(faces) == 1 or (skin.opening is not None and skin.opening.edges > edges / 2):
        return UnusableFileError("surfaces_only", f"has no solid in it, only {in_words(pieces)}; {_EXPORT}")
    return _open(skin.opening, "its surface")


def _damaged(fault: str) -> UnusableFileError:
    return UnusableFileError("damaged", f"is damaged: {fault}; export it again")


def _note_left_out(pieces: Counter[Kind], notes: list[str]) -> None:
    if pieces:
        notes.append(f"left out: {in_words(pieces)} beside the solids, which cannot be made")


def _note_closed(name: str, skin: Skin, notes: list[str]) -> None:
    gap = f", gaps of up to {format_mm(skin.gap_mm)} were closed" if skin.gap_mm > SHOWN_GAP_MM else ""
    notes.append(f"{name} is a closed surface and was taken as a solid{gap}")


def _open(opening: Opening | None, subject: str) -> UnusableFileError:
    if opening is None:
        return UnusableFileError("open", f"is not closed: {subject} bounds no volume; {_EXPORT}")
    return UnusableFileError(
        "open",
        f"is not closed: {subject} has a hole of {format_mm(opening.size_mm)} around "
        f"{format_point(opening.place_mm)} ({opening.edges} open edges); close it, and {_EXPORT}",
        opening.place_mm,
    )


def _nothing_solid(pieces: Counter[Kind], text: bytes) -> UnusableFileError:
    if pieces["EDGE"]:
        return UnusableFileError("lines_only", f"has no solid in it, only {in_words(pieces)}; {_EXPORT}")
    if fault := fault_of(text):
        return _damaged(fault)
    what = f"only {in_words(pieces)}" if pieces else "no geometry at all"
    return UnusableFileError("no_shape", f"has no shape in it, {what}; {_EXPORT}")
