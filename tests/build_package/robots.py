"""URDF and SDF of a build package as other software reads them: yourdfpy, MuJoCo, and plain XML for SDF."""

# pyright: basic, reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# yourdfpy leaves most of its types open; every function is fully annotated.

import io
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray
from sim_worker.model.world import compile_scene
from sim_worker.mujoco_api import mujoco
from yourdfpy import URDF


@dataclass(frozen=True)
class Mover:
    """A joint that moves: its axis in the world, unit vector, and where it is in m."""

    kind: str
    axis: tuple[float, ...]
    place_m: tuple[float, ...]
    limits: tuple[float, float] | None


def opened_urdf(files: Mapping[str, bytes], folder: Path) -> URDF:
    """Return the model with its meshes, after the checks of yourdfpy."""
    for path, data in files.items():
        if path.startswith("robot/"):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it calls trimesh as of old
        path = str(folder / "robot/machine.urdf")
        robot = URDF.load(path, build_collision_scene_graph=True, load_collision_meshes=True)
    assert robot.validate()
    return robot


def urdf_masses(robot: URDF) -> dict[str, float]:
    return {name: link.inertial.mass for name, link in robot.link_map.items() if link.inertial and link.inertial.mass}


def urdf_movers(robot: URDF) -> dict[str, Mover]:
    found = {}
    for name, joint in robot.joint_map.items():
        if joint.type in ("fixed", "floating"):
            continue
        placed = robot.get_transform(joint.child, robot.base_link)
        limits = None if joint.limit is None or joint.limit.lower is None else (joint.limit.lower, joint.limit.upper)
        axis = placed[:3, :3] @ np.array(joint.axis)
        found[name] = Mover(joint.type, tuple(axis), tuple(placed[:3, 3]), limits)
    return found


def urdf_drive(robot: URDF, joint: str) -> tuple[float, float]:
    """Return effort and speed of a joint."""
    limit = robot.joint_map[joint].limit
    return limit.effort, limit.velocity


def moved_to(robot: URDF, link: str, **positions: float) -> NDArray[np.float64]:
    """Return the place (4, 4) of a link in the world with joints at positions, in rad and m."""
    robot.update_cfg({name: positions.get(name, 0.0) for name in robot.actuated_joint_names})
    return np.array(robot.get_transform(link, robot.base_link))


@dataclass(frozen=True)
class SdfModel:
    """Links and joints of an SDF file."""

    masses: dict[str, float]
    centers_m: dict[str, tuple[float, ...]]
    movers: dict[str, Mover]


def opened_sdf(files: Mapping[str, bytes]) -> SdfModel:
    """Return what an SDF says; every joint has links that exist, every mesh is there, every name is used once."""
    root = ElementTree.parse(io.BytesIO(files["robot/machine.sdf"])).getroot()
    assert (root.tag, root.attrib["version"]) == ("sdf", "1.11")
    (model,) = root
    links = {each.attrib["name"]: each for each in model.findall("link")}
    joints = {each.attrib["name"]: each for each in model.findall("joint")}
    assert len(links) + len(joints) == len(model)
    assert not links.keys() & joints.keys(), "links and joints of a model share their names"
    origins = {name: _numbers(link, "pose")[:3] for name, link in links.items()}
    movers = {}
    for name, joint in joints.items():
        parent, child = joint.findtext("parent"), joint.findtext("child")
        assert parent == "world" or parent in links
        assert child in links
        if joint.attrib["type"] in ("fixed", "ball"):
            continue
        limit = joint.find("axis/limit")
        ends = None
        if limit is not None and limit.find("lower") is not None:
            ends = (_numbers(limit, "lower")[0], _numbers(limit, "upper")[0])
        movers[name] = Mover(joint.attrib["type"], _numbers(joint, "axis/xyz"), origins[child], ends)
    for uri in root.iter("uri"):
        assert f"robot/{uri.text}" in files
    masses = {name: _numbers(link, "inertial/mass")[0] for name, link in links.items()}
    centers = {
        name: tuple(np.add(origins[name], _numbers(link, "inertial/pose")[:3]))
        for name, link in links.items()
        if link.find("inertial/pose") is not None
    }
    return SdfModel(masses, centers, movers)


def _numbers(element: ElementTree.Element, path: str) -> tuple[float, ...]:
    return tuple(float(each) for each in (element.findtext(path) or "").split())


def mjcf_facts(scene: object) -> tuple[dict[str, float], dict[str, Mover]]:
    """Return masses of the bodies of a design, and its joints, of the model that the judge simulates."""
    world = compile_scene(scene)  # pyright: ignore[reportArgumentType]
    model = world.model
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, each) for each in range(model.nbody)]
    masses = {
        name.removeprefix("design:"): float(model.body_mass[each])
        for each, name in enumerate(names)
        if name.startswith("design:")
    }
    movers = {}
    for each in range(model.njnt):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, each)
        if name.startswith("joint:"):
            kind = {2: "prismatic", 3: "revolute"}[int(model.jnt_type[each])]
            limits = tuple(model.jnt_range[each]) if model.jnt_limited[each] else None
            movers[name.removeprefix("joint:")] = Mover(
                kind, tuple(data.xaxis[each]), tuple(data.xanchor[each]), limits
            )
    return masses, movers
