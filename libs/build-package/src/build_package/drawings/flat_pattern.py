"""The flat pattern of a sheet as DXF, on its own scale: what the laser cuts, and where the press brake bends."""

# pyright: basic, reportMissingTypeStubs=false, reportPrivateImportUsage=false
# ezdxf leaves many of its types open; the function that others call is fully annotated.

from io import StringIO

import ezdxf
from ezdxf import units
from shapely import Polygon
from workbenches.sheet_metal.pattern import FlatPattern

SAME_MM = 0.05
LAYERS = {"CUT": (7, "CONTINUOUS"), "BEND_UP": (5, "DASHED"), "BEND_DOWN": (1, "DASHED"), "TEXT": (8, "CONTINUOUS")}
"""Colour (ACI) and line type. The pattern is seen from the front; `up` bends towards the viewer."""
TEXT_MM = 3.0


def flat_pattern_dxf(pattern: FlatPattern) -> bytes:
    """Return DXF of release 2010, in millimetres: round holes as circles, each bend line with its angle and radius."""
    ezdxf.options.write_fixed_meta_data_for_testing = True  # no times and random ids: equal patterns give equal bytes
    document = ezdxf.new("R2010", setup=["linetypes"], units=units.MM)
    for name, (color, line_type) in LAYERS.items():
        document.layers.add(name, color=color, linetype=line_type)
    space, cut = document.modelspace(), {"layer": "CUT"}
    space.add_lwpolyline(list(pattern.outline.exterior.coords)[:-1], close=True, dxfattribs=cut)
    round_holes = [hole for hole in pattern.holes if hole.radius_mm is not None]
    for hole in round_holes:
        space.add_circle((hole.ring.centroid.x, hole.ring.centroid.y), hole.radius_mm or 0.0, dxfattribs=cut)
    for ring in map(Polygon, pattern.outline.interiors):
        if not any(hole.ring.centroid.distance(ring.centroid) < SAME_MM for hole in round_holes):
            space.add_lwpolyline(list(ring.exterior.coords)[:-1], close=True, dxfattribs=cut)
    for bend in pattern.bends:
        way = "up" if bend.is_up else "down"
        start, end = (tuple(map(float, point)) for point in bend.line_mm)
        space.add_line(start, end, dxfattribs={"layer": f"BEND_{way.upper()}"})
        text = f"{way} {bend.angle_deg:.4g} deg R{bend.radius_mm:g}"
        middle = tuple(float(each) for each in bend.line_mm.mean(axis=0))
        space.add_text(text, height=TEXT_MM, dxfattribs={"layer": "TEXT"}).set_placement(middle)
    stream = StringIO()
    document.write(stream)
    return stream.getvalue().encode()
