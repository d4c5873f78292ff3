"""The answer that the author of each script would expect, with the class of reports that it stands for."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["solved", "unsteady", "missed", "refused"]
"""`unsteady`: it works as drawn, and small offsets miss. `missed`: physics runs to its end, and the payload rests
elsewhere. In both, nothing breaks."""


@dataclass(frozen=True)
class Script:
    """A script of the corpus, or a variant of one, and the right answer."""

    name: str
    kind: Kind
    words: tuple[str, ...] = ()
    """Of a refusal: what its message names."""
    source: str = "build123d's documentation"
    of: str = ""
    """The script that a variant is made from."""
    changes: tuple[tuple[str, str], ...] = ()
    """Old and new text."""
    why: str = ""
    """Why an honest script does not simply solve the problem."""


LAST = ("new shape", "label and metadata", "last")
JOINTS_LAST = ("new shape", "joints last")
STOP_BOX = "6.0 x 120.0 x 60.0 mm around (125.0, 0.0, 30.0) mm"
CHILDREN = "Compound(label='machine', children=[a, b])"
BUILDER = ("BuildPart is a builder", ".part")

SCRIPTS: tuple[Script, ...] = (
    Script("block_on_slope", "solved", source="mujoco #3328"),
    Script("bought_part_mass", "solved", source="onshape-to-robot #102, #147"),
    Script("builder_object_as_child", "refused", BUILDER),
    Script("builder_part", "solved"),
    Script("chain_links", "solved", source="mujoco #1380"),
    Script("compound_list", "refused", ("Compound([a, b])", CHILDREN)),
    Script("copies_by_location", "solved", source="build123d #227"),
    Script("cut_in_two", "refused", ("ramp", "2 solids", "48.0 x 80.0 x 60.0 mm"), source="own"),
    Script("fillet_after_metadata", "refused", (STOP_BOX, "fillet", *LAST)),
    Script("floor_plate_glued", "missed", source="own"),
    Script("four_bar_loop", "refused", ("loop of 4 joints", "h2 - h1 - h4 - h3"), source="mujoco #172, #613"),
    Script("four_equal_posts", "solved", source="SolidPython #162, OndselSolver #61"),
    Script("fused_after_metadata", "refused", ("23.0 x 120.0 x 60.0 mm", "+", *LAST)),
    Script("heavy_plate_steel_3mm", "missed", source="guard"),
    Script("hinge_on_glued_block", "solved", source="guard"),
    Script("inch_script", "solved", source="own"),
    Script("joined_sum_of_parts", "refused", ("sum of parts", CHILDREN)),
    Script("joint_after_pos", "solved", source="build123d #442"),
    Script("joint_ball_limits", "refused", ("ball", "leave angular_range out")),
    Script("joint_revolute", "solved"),
    Script("joint_rigid", "refused", ("gap of 1.01 mm", "0.05 mm")),
    Script("joint_then_cut", "refused", ("'pin' of 'arm'", "displaced it by", *JOINTS_LAST), source="build123d #318"),
    Script("label_unicode", "solved", source="FreeCAD #7987"),
    Script("label_with_space", "solved", source="FreeCAD #7987"),
    Script("light_flap", "solved", source="mujoco #1165"),
    Script("light_plate_3mm", "missed", source="mujoco #1165, #756"),
    Script("light_plate_on_way", "solved", source="mujoco #1165"),
    Script(
        "light_stack",
        "unsteady",
        source="mujoco #546",
        why="the stack rests to 1e-12 mm sideways until it is hit; then its blocks deflect the ball as they lie",
    ),
    Script("light_trapdoor", "solved", source="own"),
    Script("light_tray_in_pocket", "missed", source="mujoco #1165"),
    Script("made_gear", "solved", source="bd_warehouse, py_gearworks"),
    Script(
        "mirror_part", "refused", ("rail-right, 80.0 x 6.0 x 10.0 mm around (60.0, -40.0, 5.0) mm", "mirror", *LAST)
    ),
    Script("moved_subassembly", "solved", source="build123d #1394, #301"),
    Script("nested_compound", "solved", source="build123d #954"),
    Script("parent_idiom", "solved"),
    Script("press_fit_pin", "solved", source="partcad #654, kernelCAD-web #380, FreeCAD_Assembly4 #190"),
    Script(
        "rail_glued_flat",
        "unsteady",
        source="own",
        why="1 mm beside the middle the ball meets one rail first, which pushes it aside at 0.3 m/s; 0.16 m/s take it "
        "out of a groove 1.25 mm deep",
    ),
    Script("ramp_drawn_one_sided", "solved", source="FreeCAD-DFM-Workbench #66"),
    Script("ring_on_peg", "solved", source="mujoco #1868, #61"),
    Script("roller_belt", "solved", source="mujoco #1165"),
    Script("spring_helix", "solved", source="own"),
    Script("strip_glued_flat", "missed", source="own"),
    Script("thin_cup", "missed", source="mujoco #441"),
)
_FILLETED = "arm = fillet(arm.edges().filter_by(Axis.Z), 2)\narm.label, arm.metadata = 'arm', dict(PLA)\nassembly ="
_CUT = "arm -= Pos(100, 20, 45) * Cylinder(2, 20)"
_STOP_LABEL = ('"stop"', '"..Упор %41 🔩"')
_BONDED_PIN = ("stop, block, pin, to", "stop, block, to")
VARIANTS: tuple[Script, ...] = (
    Script(
        "chamfer, not glued",
        "refused",
        (STOP_BOX, "chamfer", *LAST),
        of="fillet_after_metadata",
        changes=(("= fillet(", "= chamfer("), ("bond_contacts(ramp, stop", "bond_contacts(ramp")),
    ),
    Script(
        "mirrored copy with the same label",
        "refused",
        ("2 parts have the label 'rail-left'", "(60.0, 40.0, 5.0)", "(60.0, -40.0, 5.0)"),
        of="mirror_part",
        changes=(("mirror(rail, about=Plane.XZ)", "rail.mirror(Plane.XZ)"), ('other.label = "rail-right"\n', "")),
    ),
    Script(
        "two rails as one part",
        "refused",
        ("rails", "2 solids", "do not touch"),
        of="mirror_part",
        changes=(
            (
                'other = mirror(rail, about=Plane.XZ)\nother.label = "rail-right"',
                "rail += mirror(rail, Plane.XZ)",
            ),
            ("assembly =", "rail.label, rail.metadata = 'rails', dict(PLA)\nassembly ="),
            ("rail, other", "rail"),
        ),
    ),
    Script(
        "parts one by one",
        "refused",
        ("Compound(a, b) leaves b out", CHILDREN),
        of="compound_list",
        changes=(("[ramp, stop]", "ramp, stop"),),
    ),
    Script(
        "group as a list",
        "refused",
        ("inner", "2 solids", "children=[a, b]"),
        of="nested_compound",
        changes=(('Compound(label="inner", children=[ramp, stop])', "Compound([ramp, stop]); inner.label = 'inner'"),),
    ),
    Script(
        "sum of parts that touch",
        "refused",
        ("sum of parts", CHILDREN),
        of="joined_sum_of_parts",
        changes=(("Pos(125, 0, 30)", "Pos(20, 0, 30)"),),
    ),
    Script(
        "builder glued",
        "refused",
        BUILDER,
        of="builder_object_as_child",
        changes=(("children=[ramp, stop]", "children=[ramp, stop.part]"),),
    ),
    Script(
        "joint, then fillet",
        "refused",
        ("'pin'", *JOINTS_LAST),
        of="joint_then_cut",
        changes=((_CUT, "arm = fillet(arm.edges().filter_by(Axis.Z), 2)"),),
    ),
    Script(
        "connected, then fillet",
        "refused",
        ("'hinge' of 'post'", "'arm'", *JOINTS_LAST),
        of="joint_revolute",
        changes=(("assembly =", _FILLETED),),
    ),
    Script(
        "joint, then two cuts",
        "refused",
        ("'pin' of 'arm'", "displaced it by", *JOINTS_LAST),
        of="joint_then_cut",
        changes=((_CUT, f"{_CUT}\narm -= Pos(100, 30, 45) * Cylinder(2, 20)"),),
    ),
    Script(
        "labels with signs of HTML, paths and Markdown",
        "solved",
        of="label_unicode",
        changes=(('"Rampe_groß"', "\"斜面 <b>A&B</b> 'y' /../ №1: `z` | $\""), _STOP_LABEL),
    ),
    Script("label too long", "refused", ("64",), of="label_unicode", changes=(('"Rampe_groß"', '"ß" * 65'),)),
    Script(
        "press fit, not joined",
        "refused",
        ("press fit", "0.02 mm thicker than its bore", "glue('block', 'pin')"),
        of="press_fit_pin",
        changes=(_BONDED_PIN,),
    ),
    Script(
        "too tight",
        "refused",
        ("0.30 mm thicker", "a press fit may be 0.1 mm"),
        of="press_fit_pin",
        changes=(("Cylinder(4.01, 36)", "Cylinder(4.15, 36)"),),
    ),
    Script(
        "press fit of a square pin",
        "solved",
        of="press_fit_pin",
        changes=(("Cylinder(4, 20)", "Box(8, 8, 20)"), ("Cylinder(4.01, 36)", "Box(8.04, 8.04, 36)")),
    ),
    Script(
        "gear of a library that is not here",
        "refused",
        ("py_gearworks", "bd_warehouse.gear", "pitch diameter"),
        of="made_gear",
        changes=(("bd_warehouse.gear", "py_gearworks"),),
    ),
)
