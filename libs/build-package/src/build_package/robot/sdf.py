"""SDF: links and joints for Gazebo and Drake, by version 1.11 of the format."""

from collections.abc import Mapping
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np

from build_package.robot.links import MM, WORLD, Link, Robot, RobotJoint
from build_package.robot.shapes import LinkShapes, Shape
from build_package.robot.urdf import figures

VERSION = "1.11"
FRAME_KG, FRAME_KG_M2 = 1e-6, 1e-9
"""Of a frame between two joints: without any, the format gives it a kilogram."""
_UPRIGHT = "0 0 0"


def as_sdf(name: str, robot: Robot, shapes: Mapping[str, LinkShapes]) -> bytes:
    """Return the file, beside which the meshes lie."""
    root = Element("sdf", version=VERSION)
    model = SubElement(root, "model", name=name)
    for link in robot.links:
        if link.name != WORLD:
            _add_link(model, link, shapes.get(link.name))
    for joint in robot.joints:
        if joint.kind != "floating":
            _add_joint(model, joint)
    indent(root)
    return tostring(root, encoding="utf-8", xml_declaration=True)


def _add_link(model: Element, link: Link, shapes: LinkShapes | None) -> None:
    element = SubElement(model, "link", name=link.name)
    _text(element, "pose", f"{figures(link.origin_mm * MM)} {_UPRIGHT}")
    inertial = SubElement(element, "inertial")
    mass = None if link.body is None else link.body.mass
    if link.body is None or mass is None or shapes is None:
        _text(inertial, "mass", f"{FRAME_KG:g}")
        _inertia(inertial, (FRAME_KG_M2, FRAME_KG_M2, FRAME_KG_M2, 0.0, 0.0, 0.0))
        return
    _text(inertial, "pose", f"{figures((np.array(mass.center_mm) - link.origin_mm) * MM)} {_UPRIGHT}")
    _text(inertial, "mass", f"{mass.mass_kg:.9g}")
    _inertia(inertial, mass.inertia_kg_m2)
    for number, shape in enumerate(shapes.seen, start=1):
        material = SubElement(_shape(element, "visual", number, shape), "material")
        _text(material, "ambient", figures(link.body.color_rgba))
        _text(material, "diffuse", figures(link.body.color_rgba))
    for number, shape in enumerate(shapes.touched, start=1):
        friction = SubElement(SubElement(_shape(element, "collision", number, shape), "surface"), "friction")
        ode = SubElement(friction, "ode")
        _text(ode, "mu", f"{link.body.friction:.9g}")
        _text(ode, "mu2", f"{link.body.friction:.9g}")


def _inertia(inertial: Element, tensor: tuple[float, ...]) -> None:
    element = SubElement(inertial, "inertia")
    by_name = dict(zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), tensor, strict=True))
    for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"):
        _text(element, name, f"{by_name[name]:.9g}")


def _shape(link: Element, use: str, number: int, shape: Shape) -> Element:
    element = SubElement(link, use, name=f"{use}-{number}")
    _text(element, "pose", f"{figures(shape.place_m)} {figures(shape.angles_rad)}")
    geometry = SubElement(SubElement(element, "geometry"), shape.kind)
    match shape.kind:
        case "mesh":
            _text(geometry, "uri", shape.file)
            _text(geometry, "scale", figures((MM, MM, MM)))
        case "box":
            _text(geometry, "size", figures(shape.size_m))
        case _:
            for name, value in zip(("radius", "length"), shape.size_m, strict=False):
                _text(geometry, name, f"{value:.9g}")
    return element


def _add_joint(model: Element, joint: RobotJoint) -> None:
    element = SubElement(model, "joint", name=joint.name, type=joint.kind)
    _text(element, "parent", joint.parent.name)
    _text(element, "child", joint.child.name)
    if joint.kind in ("fixed", "ball"):
        return
    axis = SubElement(element, "axis")
    _text(axis, "xyz", figures(joint.axis))
    if joint.mimic is not None:
        leader, ratio = joint.mimic
        mimic = SubElement(axis, "mimic", joint=leader)
        _text(mimic, "multiplier", f"{ratio:.9g}")
        _text(mimic, "offset", "0")
        _text(mimic, "reference", "0")
    _text(SubElement(axis, "dynamics"), "friction", f"{joint.friction:.9g}")
    limit = SubElement(axis, "limit")
    if joint.limits is not None:
        _text(limit, "lower", f"{joint.limits[0]:.9g}")
        _text(limit, "upper", f"{joint.limits[1]:.9g}")
    if joint.drive is not None:
        effort, speed = joint.effort_and_speed
        _text(limit, "effort", f"{effort:.9g}")
        _text(limit, "velocity", f"{speed:.9g}")


def _text(parent: Element, name: str, text: str) -> None:
    SubElement(parent, name).text = text
