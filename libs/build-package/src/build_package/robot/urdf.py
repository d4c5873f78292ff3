"""URDF: links and joints for ROS and its simulators."""

from collections.abc import Mapping
from itertools import pairwise
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np
from geometry.arrays import FloatArray

from build_package.robot.links import MM, Link, Robot, RobotJoint
from build_package.robot.shapes import LinkShapes, Shape

FAR_M = 1000.0
"""Travel of a slide without limits, which URDF does not know."""


def as_urdf(name: str, robot: Robot, shapes: Mapping[str, LinkShapes]) -> bytes:
    """Return the file, beside which the meshes lie. A ball joint is three joints that turn about x, y and z."""
    root = Element("robot", name=name)
    for link in robot.links:
        _add_link(root, link, shapes.get(link.name))
    for joint in robot.joints:
        _add_joint(root, joint)
    indent(root)
    return tostring(root, encoding="utf-8", xml_declaration=True)


def figures(values: FloatArray | tuple[float, ...]) -> str:
    """Return numbers as an attribute; -0 is 0."""
    return " ".join(f"{float(value) + 0.0:.9g}" for value in values)


def _add_link(root: Element, link: Link, shapes: LinkShapes | None) -> None:
    element = SubElement(root, "link", name=link.name)
    if link.body is None or link.body.mass is None or shapes is None:
        return
    mass = link.body.mass
    inertial = SubElement(element, "inertial")
    SubElement(inertial, "origin", xyz=figures((np.array(mass.center_mm) - link.origin_mm) * MM), rpy="0 0 0")
    SubElement(inertial, "mass", value=f"{mass.mass_kg:.9g}")
    xx, yy, zz, xy, xz, yz = (f"{value:.9g}" for value in mass.inertia_kg_m2)
    SubElement(inertial, "inertia", ixx=xx, iyy=yy, izz=zz, ixy=xy, ixz=xz, iyz=yz)
    for shape in shapes.seen:
        visual = _shape(element, "visual", shape)
        material = SubElement(visual, "material", name=f"{link.name}-color")
        SubElement(material, "color", rgba=figures(link.body.color_rgba))
    for shape in shapes.touched:
        _shape(element, "collision", shape)


def _shape(link: Element, use: str, shape: Shape) -> Element:
    element = SubElement(link, use)
    SubElement(element, "origin", xyz=figures(shape.place_m), rpy=figures(shape.angles_rad))
    geometry = SubElement(element, "geometry")
    match shape.kind:
        case "mesh":
            SubElement(geometry, "mesh", filename=shape.file, scale=figures((MM, MM, MM)))
        case "box":
            SubElement(geometry, "box", size=figures(shape.size_m))
        case "cylinder":
            SubElement(geometry, "cylinder", radius=figures(shape.size_m[:1]), length=figures(shape.size_m[1:]))
        case _:
            SubElement(geometry, "sphere", radius=figures(shape.size_m))
    return element


def _add_joint(root: Element, joint: RobotJoint) -> None:
    offset = figures((joint.child.origin_mm - joint.parent.origin_mm) * MM)
    if joint.kind == "ball":
        between = [f"{joint.name}-{axis}" for axis in "xy"]
        for name in between:
            SubElement(root, "link", name=name)
        ends = [joint.parent.name, *between, joint.child.name]
        for axis, (parent, child) in zip("xyz", pairwise(ends), strict=True):
            element = _joint(root, f"{joint.name}-turn-{axis}", "continuous", (parent, child))
            SubElement(element, "origin", xyz=offset if axis == "x" else "0 0 0", rpy="0 0 0")
            SubElement(element, "axis", xyz=" ".join("1" if each == axis else "0" for each in "xyz"))
            SubElement(element, "dynamics", friction=f"{joint.friction:.9g}", damping="0")
        return
    turns_on = joint.kind == "revolute" and joint.limits is None
    kind = "continuous" if turns_on else joint.kind
    element = _joint(root, joint.name, kind, (joint.parent.name, joint.child.name))
    SubElement(element, "origin", xyz=offset, rpy="0 0 0")
    if joint.kind in ("fixed", "floating"):
        return
    SubElement(element, "axis", xyz=figures(joint.axis))
    effort, speed = (f"{value:.9g}" for value in joint.effort_and_speed)
    low, high = (f"{value:.9g}" for value in joint.limits or (-FAR_M, FAR_M))
    bounds = {} if turns_on else {"lower": low, "upper": high}
    SubElement(element, "limit", {**bounds, "effort": effort, "velocity": speed})
    SubElement(element, "dynamics", friction=f"{joint.friction:.9g}", damping="0")
    if joint.mimic is not None:
        leader, ratio = joint.mimic
        SubElement(element, "mimic", joint=leader, multiplier=f"{ratio:.9g}", offset="0")


def _joint(root: Element, name: str, kind: str, ends: tuple[str, str]) -> Element:
    element = SubElement(root, "joint", name=name, type=kind)
    SubElement(element, "parent", link=ends[0])
    SubElement(element, "child", link=ends[1])
    return element
