"""Sound scripts as engineers write them: builder and algebra mode, locations, selectors, sketches, numpy, classes."""

from tests.cad_worker.linting.jointed import JOINTED

HEADER = "from build123d import *\nfrom utils import ManufacturingMethod\n"

BRACKET = """
with BuildPart() as bracket:
    Box(60, 40, 5, align=(Align.CENTER, Align.CENTER, Align.MIN))
    with Locations((0, 0, 5)):
        Box(5, 40, 30, align=(Align.CENTER, Align.CENTER, Align.MIN))
    with GridLocations(40, 20, 2, 2):
        Hole(2.5)
    fillet(bracket.edges().filter_by(Axis.Z), radius=1)
part = bracket.part
part.label = "bracket"
part.metadata = {"manufacturing_method": ManufacturingMethod.CNC, "material_id": "aluminum-6061"}
assembly = Compound(label="machine", children=[part])
"""

SELECTORS = """
block = Box(30, 20, 10)
top = block.faces().sort_by(Axis.Z)[-1]
longest = block.edges().sort_by(SortBy.LENGTH)[-1]
vertical = block.edges().filter_by(Axis.Z)
upper = block.faces().filter_by(GeomType.PLANE).group_by(Axis.Z)[-1]
rounded = fillet(vertical, radius=2)
edge_lengths = [edge.length for edge in rounded.edges()]
print(top.center().Z, longest.length, len(upper), sum(edge_lengths), top.normal_at())
"""

SKETCH = """
with BuildPart() as channel:
    with BuildSketch(Plane.XZ) as profile:
        Rectangle(30, 20)
        with Locations((0, 5)):
            Rectangle(20, 20, mode=Mode.SUBTRACT)
    extrude(amount=100)
print(channel.part.volume, profile.sketch.area)
"""

LINES = """
with BuildPart() as rail:
    with BuildSketch():
        with BuildLine() as outline:
            start = Line((0, 0), (20, 0))
            side = Line(start @ 1, (20, 5))
            RadiusArc(side @ 1, (0, 5), -30)
            Line((0, 5), (0, 0))
        make_face()
    extrude(amount=12)
rail.part.label = "rail"
"""

SWEEP = """
path = Spline((0, 0, 0), (20, 10, 5), (40, 0, 10))
section = Plane(origin=path @ 0, z_dir=path % 0) * Circle(2)
tube = sweep(section, path=path)
print(tube.volume, path.length, (path @ 0.5).X)
"""

REVOLVE = """
profile = Plane.XZ * Pos(10, 0) * Rectangle(4, 10)
ring = revolve(profile, axis=Axis.Z, revolution_arc=360)
cup = Cylinder(12, 20) - Pos(0, 0, 2) * Cylinder(10, 20)
print(ring.volume, cup.bounding_box().size.Z, cup.bounding_box().min.Z)
"""

LOFT = """
with BuildPart() as funnel:
    with BuildSketch():
        Circle(20)
    with BuildSketch(Plane.XY.offset(30)):
        Circle(8)
    loft()
    offset(amount=-1, openings=[funnel.faces().sort_by(Axis.Z)[-1], funnel.faces().sort_by(Axis.Z)[0]])
print(funnel.part.volume)
"""

ALGEBRA = """
base = Box(50, 50, 4)
holes = [location * Cylinder(2, 10) for location in GridLocations(30, 30, 2, 2)]
plate = base - holes
plate += Pos(0, 0, 7) * Cylinder(5, 10)
plate = Pos(0, 0, 20) * Rot(0, 30, 0) * plate
plate.label = "plate"
plate.color = Color("red")
print(plate.location.position.Z, plate.center(), plate.is_valid)
"""

POLAR = """
spokes = Part() + [location * Box(20, 2, 2) for location in PolarLocations(15, 6)]
hub = Cylinder(8, 6)
wheel = hub + spokes
print(wheel.volume, len(wheel.solids()), wheel.solid().volume)
"""

CHANNEL = """
WALL_MM, WIDTH_MM, LENGTH_MM = 3.0, 34.0, 250.0


def wall(label: str, x_mm: float, height_mm: float = 20.0):
    \"\"\"Return one wall.\"\"\"
    piece = Pos(x_mm, 0, height_mm / 2) * Box(WALL_MM, LENGTH_MM, height_mm)
    piece.label = label
    piece.metadata = {"manufacturing_method": ManufacturingMethod.PRINTING_3D, "material_id": "pla"}
    return piece


parts = [wall(f"wall-{side}", side * WIDTH_MM / 2) for side in (-1, 1)]
assembly = Compound(label="machine", children=parts)
for child in assembly.children:
    print(child.label, child.volume, child.bounding_box())
"""

WORLD = """
zone = benchmark.goal_zone
middle = [(low + high) / 2 for low, high in zip(zone.min_mm, zone.max_mm)]
floor = next(child for child in environment.children if child.label == "floor")
top_mm = floor.bounding_box().max.Z
pad = Pos(middle[0], middle[1], top_mm + 2) * Box(20, 20, 4)
print(limits.max_unit_price_usd, quantity, benchmark.payload.size_mm, pad.volume)
"""

NUMPY = """
import math
import numpy as np
from dataclasses import dataclass


@dataclass
class Leg:
    x_mm: float
    y_mm: float
    height_mm: float = 30.0

    def solid(self):
        return Pos(self.x_mm, self.y_mm, self.height_mm / 2) * Box(4, 4, self.height_mm)


angles = np.linspace(0, 2 * math.pi, 5)[:-1]
legs = [Leg(20 * math.cos(each), 20 * math.sin(each)) for each in angles]
solids = [leg.solid() for leg in legs]
assembly = Compound(label="stand", children=solids)
print(np.array([solid.volume for solid in solids]).mean())
"""

CHAMFER = """
with BuildPart() as ramp:
    Box(80, 30, 20)
    chamfer(ramp.faces().sort_by(Axis.Z)[-1].edges().filter_by(Axis.Y).sort_by(Axis.X)[-1], length=15, length2=12)
    top = ramp.faces().sort_by(Axis.Z)[-1]
    with BuildSketch(top):
        SlotOverall(30, 6)
    extrude(amount=-3, mode=Mode.SUBTRACT)
part = ramp.part
print(part.volume if part is not None else 0.0)
"""

ROTATED = """
tilted = Location((10, 0, 5), (0, 15, 0)) * Box(40, 20, 3)
turned = Box(10, 10, 10).rotate(Axis.Z, 45).translate((5, 0, 0))
moved = turned.moved(Location((0, 0, 10)))
moved.position += (0, 0, 3)
moved.orientation = (0, 0, 30)
plane = Plane(tilted.faces().sort_by(Axis.Z)[-1])
print(plane.z_dir, moved.location, plane.to_local_coords(Vector(1, 2, 3)), tilted.orientation.Y)
"""

BOOLEANS = """
a, b = Box(10, 10, 10), Pos(5, 5, 5) * Sphere(6)
common = a & b
rest = a - b
both = a + b
touching = a.distance_to(b)
print(common.volume, rest.volume, both.volume, touching)
if rest.volume > 0 and isinstance(rest, Part):
    rest.label = "rest"
"""

MIRRORED = """
side = Pos(20, 0, 0) * Box(4, 60, 20)
other = mirror(side, about=Plane.YZ)
halves = split(Box(10, 10, 10), bisect_by=Plane.XY, keep=Keep.TOP)
grown = scale(Box(2, 2, 2), by=2)
print(other.center().X, halves.volume, grown.volume)
"""

TEXT = """
plate = Box(40, 20, 3)
sign = extrude(Plane.XY.offset(1.5) * Text("A1", font_size=8), amount=1)
polygon = extrude(RegularPolygon(radius=10, side_count=6), amount=5)
wedge = Wedge(10, 10, 10, 2, 2, 8, 8)
torus = Torus(10, 2)
cone = Cone(10, 5, 8)
print(plate.volume, sign.volume, polygon.volume, wedge.volume, torus.volume, cone.volume)
"""

JOINTS = """
base = Box(20, 20, 4)
arm = Pos(0, 0, 10) * Box(4, 4, 30)
RigidJoint("top", to_part=base, joint_location=Location((0, 0, 2)))
RigidJoint("foot", to_part=arm, joint_location=Location((0, 0, -15)))
base.joints["top"].connect_to(arm.joints["foot"])
print(arm.location)
"""

MATCHING = """
shapes = {"ball": Sphere(5), "cube": Box(10, 10, 10), "can": Cylinder(5, 10)}
payload = shapes.get(benchmark.payload.shape, Sphere(5))
match benchmark.payload.shape:
    case "ball":
        clearance_mm = 14.0
    case _:
        clearance_mm = 10.0
try:
    smooth = fillet(shapes["cube"].edges(), radius=1)
except ValueError as error:
    smooth = shapes["cube"]
    print(error)
print(payload.volume, clearance_mm, smooth.volume)
"""

LOCATIONS = """
with BuildPart() as tray:
    Box(100, 60, 3)
    with Locations(*[(x, 0, 3) for x in range(-40, 50, 20)]) as places:
        Box(2, 60, 6)
    with BuildSketch(tray.faces().sort_by(Axis.Z)[-1]) as pockets:
        with HexLocations(8, 3, 3):
            Circle(2)
    extrude(amount=-1, mode=Mode.SUBTRACT)
    CounterBoreHole(radius=2, counter_bore_radius=4, counter_bore_depth=1)
print(len(places.locations), tray.part.bounding_box().size, pockets.sketch_local.area, tray.part.faces())
"""

NAMED_IMPORTS = """
from build123d import Axis as A, Vector as V
import build123d as bd

ray = bd.Edge.make_line((0, 0, 0), (1, 1, 1))
wire = bd.Wire.make_polygon([V(0, 0, 0), V(10, 0, 0), V(0, 10, 0)])
face = bd.Face(wire)
prism = bd.Solid.extrude(face, V(0, 0, 5))
cog = prism.center(bd.CenterOf.MASS)
print(ray.length, face.area, prism.volume, cog.Z, prism.bounding_box().diagonal, A.Z.direction)
"""

COPIES = """
import copy
from itertools import product

tile = Box(5, 5, 1)
tiles = []
for row, column in product(range(3), range(3)):
    each = copy.copy(tile)
    each.locate(Location((row * 6.0, column * 6.0, 0)))
    each.label = f"tile-{row}-{column}"
    tiles.append(each)
floor = Compound(label="floor", children=tiles)
heaviest = max(floor.children, key=lambda child: child.volume)
print(heaviest.label, floor.volume, [child.label for child in floor.children][:2])
print(heaviest.wrapped is not None, heaviest.matrix_of_inertia, floor.show_topology())
"""

BOUND_IN_TIME = """
for height_mm in (4, 8, 12):
    last = Box(10, 10, height_mm)
if quantity > 0:
    unit = "pieces"
if quantity > 0:
    print(unit)
print(last.volume)
"""

BODIES = {
    name.lower(): text
    for name, text in list(globals().items())
    if name.isupper() and isinstance(text, str) and name != "HEADER"
}
SOUND: dict[str, str] = {name: HEADER + text for name, text in {**BODIES, **JOINTED}.items()}
"""Each runs in a kernel; a linter that objects is wrong."""
