"""STEP files: their solids, with what was closed, turned or left out."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# OCP ships no stubs, so strict checking would see nothing but unknowns here. Every function is fully annotated.

from collections import Counter
from collections.abc import Iterator, Sequence

from build123d import Solid
from OCP.TopoDS import TopoDS, TopoDS_Shape

from geometry.cad_files.contents import CadFile, NamedSolid, UnusableFileError
from geometry.cad_files.explored import Kind, in_words, loose_pieces, pieces_of
from geometry.cad_files.skins import SHOWN_GAP_MM, Opening, Skin, closed_skin, opening_of, right_side_out
from geometry.cad_files.step_products import Product, StepShapes, read_products
from geometry.cad_files.step_text import fault_of, require_whole
from geometry.display_mesh import MAX_FACES
from geometry.formatting import format_mm, format_point

_EXPORT = "export the part as a solid"


def read_step_file(text: bytes, name: str) -> CadFile:
    """Return the solids of a STEP file; raise `UnusableFileError`."""
    require_whole(text)
    shapes = read_products(text, name)
    if shapes is None:
        raise UnusableFileError("damaged", f"is damaged: {fault_of(text) or 'its text breaks off'}; export it again")
    notes: list[str] = []
    solids = list(_solids(shapes, notes))
    if not solids:
        solids = _from_surfaces(shapes, text, name, notes)
    return CadFile("step", tuple(solids), tuple(notes))


def _solids(shapes: StepShapes, notes: list[str]) -> Iterator[NamedSolid]:
    """Yield the solids of every product; note what is left out."""
    left_out: Counter[Kind] = Counter()
    for product in shapes.products:
        found = [TopoDS.Solid(each) for each in pieces_of(product.shape, "SOLID")]
        if found:
            yield from _numbered(product, [_repaired(Solid(each), product.name, notes) for each in found], notes)
        elif faces := _few_faces(product.shape):
            skin = closed_skin(faces)
            if skin.solids and skin.opening is None:
                _note_closed(product.name, skin, notes)
                yield from _numbered(product, skin.solids, notes)
                continue
        left_out += loose_pieces(product.shape)
    if left_out:
        notes.append(f"left out: {in_words(left_out)} beside the solids, which cannot be made")


def _few_faces(shape: TopoDS_Shape) -> list[TopoDS_Shape]:
    """Return the faces of a shape that may be a skin."""
    faces = pieces_of(shape, "FACE")
    return faces if 1 < len(faces) <= MAX_FACES or (faces and opening_of(shape) is None) else []


def _numbered(product: Product, solids: Sequence[Solid], notes: list[str]) -> Iterator[NamedSolid]:
    for number, solid in enumerate(solids, start=1):
        name = product.name if len(solids) == 1 else f"{product.name} #{number}"
        turned, was_inside_out = right_side_out(solid)
        if was_inside_out:
            notes.append(f"{name} was inside out and was turned")
        yield NamedSolid(name, turned, product.count)


def _repaired(solid: Solid, name: str, notes: list[str]) -> Solid:
    """Return a solid whose skin has gaps with its gaps closed, if they are small."""
    if opening_of(solid.wrapped) is None:
        return solid
    skin = closed_skin(pieces_of(solid.wrapped, "FACE"))
    if skin.opening is not None or len(skin.solids) != 1:
        raise _open(skin.opening or opening_of(solid.wrapped), f"its solid {name}")
    _note_closed(name, skin, notes)
    return skin.solids[0]


def _from_surfaces(shapes: StepShapes, text: bytes, name: str, notes: list[str]) -> list[NamedSolid]:
    """Return the solids that the surfaces of all products bound together; `notes` are replaced."""
    notes.clear()
    pieces: Counter[Kind] = Counter()
    for root in shapes.roots:
        pieces += loose_pieces(root)
    faces = [face for root in shapes.roots for face in pieces_of(root, "FACE")]
    if not faces:
        raise _nothing_solid(pieces, text)
    if len(faces) > MAX_FACES:
        raise UnusableFileError("too_complex", f"has {len(faces)} loose faces, at most {MAX_FACES} are joined; {_EXPORT}")
    if any(not pieces_of(face, "EDGE") for face in faces):
        raise UnusableFileError("damaged", f"is damaged: {fault_of(text) or 'a face has no edges'}; export it again")
    skin = closed_skin(faces)
    if not skin.solids:
        if fault := fault_of(text):
            raise UnusableFileError("damaged", f"is damaged: {fault}; export it again")
        if len(faces) == 1 or _is_apart(shapes, faces, skin):
            raise UnusableFileError("surfaces_only", f"has no solid in it, only {in_words(pieces)}; {_EXPORT}")
        raise _open(skin.opening, "its surface")
    _note_closed(name, skin, notes)
    left_out = pieces - Counter({"FACE": pieces["FACE"]})
    if skin.opening is not None:
        notes.append(f"left out: surfaces that are open around {format_point(skin.opening.place_mm)}")
    if left_out:
        notes.append(f"left out: {in_words(left_out)} beside the solids, which cannot be made")
    return list(_numbered(Product(name, shapes.roots[0], 1), skin.solids, notes))


def _is_apart(shapes: StepShapes, faces: Sequence[TopoDS_Shape], skin: Skin) -> bool:
    """Tell whether the faces hardly touch each other: more of their edges are open than shared."""
    edges = sum(len(pieces_of(face, "EDGE")) for face in faces)
    return skin.opening is not None and skin.opening.edges > edges / 2


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
        return UnusableFileError("damaged", f"is damaged: {fault}; export it again")
    what = f"only {in_words(pieces)}" if pieces else "no geometry at all"
    return UnusableFileError("no_shape", f"has no shape in it, {what}; {_EXPORT}")
