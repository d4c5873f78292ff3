"""Pages of the references of the skill `build123d`: titles, introductions and the described names."""

from collections.abc import Mapping
from typing import NamedTuple


class Page(NamedTuple):
    """One reference file."""

    title: str
    introduction: str
    names: tuple[str, ...]
    """Names in build123d; methods with their class."""


PAGES: Mapping[str, Page] = {
    "solids.md": Page(
        "Solids",
        "Each is centred on the origin unless `align` says otherwise: `align=(Align.CENTER, Align.CENTER, Align.MIN)` "
        "stands on z = 0. `Pos(x, y, z) * Box(20, 10, 5)` places it.",
        ("Box", "Cylinder", "Cone", "Sphere", "Torus", "Wedge", "ConvexPolyhedron"),
    ),
    "holes.md": Page(
        "Holes",
        "For builder mode (`with BuildPart():`), where they cut from the part. In algebra mode subtract a Cylinder.",
        ("Hole", "CounterBoreHole", "CounterSinkHole"),
    ),
    "sketches.md": Page(
        "Sketches",
        "Flat, on the plane XY; `Plane.XZ * Rectangle(20, 10)` lays one elsewhere.",
        (
            *("Rectangle", "RectangleRounded", "Circle", "Ellipse", "Polygon", "RegularPolygon", "Triangle"),
            *("Trapezoid", "SlotOverall", "SlotCenterToCenter", "SlotArc", "make_face", "make_hull", "trace"),
        ),
    ),
    "lines.md": Page(
        "Lines",
        "`+` joins them into a wire; `make_face` fills a closed one; `sweep` follows one.",
        (
            *("Line", "Polyline", "FilletPolyline", "PolarLine", "CenterArc", "ThreePointArc", "RadiusArc"),
            *("SagittaArc", "TangentArc", "JernArc", "Spline", "Bezier", "Helix"),
        ),
    ),
    "operations.md": Page(
        "Operations",
        "Functions; each returns a new shape and leaves its arguments as they are.",
        (
            *("extrude", "revolve", "loft", "sweep", "fillet", "chamfer", "offset", "mirror", "split", "section"),
            *("scale", "thicken", "make_brake_formed"),
        ),
    ),
    "patterns.md": Page(
        "Patterns and choices",
        "Patterns hold in builder mode, and are Locations to loop over. Choices are what `align`, `keep`, `kind` and "
        "others take.",
        (
            *("Locations", "GridLocations", "PolarLocations", "HexLocations"),
            *("Align", "Keep", "Kind", "Mode", "Until", "Transition", "GeomType", "SortBy"),
        ),
    ),
    "selecting.md": Page(
        "Selecting and measuring",
        "`part.faces()`, `part.edges()`, `part.vertices()` and `part.solids()` are ShapeLists; filter and sort them, "
        "then take one by index: `part.faces().sort_by(Axis.Z)[-1]` is the highest.",
        (
            *("ShapeList.filter_by", "ShapeList.filter_by_position", "ShapeList.sort_by", "ShapeList.sort_by_distance"),
            *("ShapeList.group_by", "ShapeList.face", "ShapeList.edge"),
            *("Shape.bounding_box", "Solid.center", "Shape.distance_to", "Shape.is_valid", "Shape.moved"),
            *("Shape.move", "Shape.locate", "Shape.located", "Shape.rotate", "Shape.translate", "Shape.intersect"),
            *("Shape.clean", "Solid.volume", "Part.max_fillet", "Face.normal_at", "Face.center", "Edge.position_at"),
            *("Edge.tangent_at", "Compound.do_children_intersect"),
        ),
    ),
    "joints.md": Page(
        "Joints",
        "The joint whose `connect_to` is called stays; the other joint's part is moved to it.",
        (
            *("RigidJoint", "RevoluteJoint", "LinearJoint", "CylindricalJoint", "BallJoint"),
            *("RigidJoint.connect_to", "RevoluteJoint.connect_to", "LinearJoint.connect_to"),
            *("CylindricalJoint.connect_to", "BallJoint.connect_to"),
        ),
    ),
}
