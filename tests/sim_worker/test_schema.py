"""Errors in MJCF are told all at once, with their place and a guess."""

import pytest
from contracts.models.benchmark import Zone
from sim_worker.model import compile_scene
from sim_worker.model.mjcf_schema import problems, schema
from sim_worker.mujoco_api import mujoco

from tests.sim_worker import scenes

BAD = """
<mujoco model="bad">
  <option timestp="0.001"/>
  <worldbody>
    <body name="arm">
      <jiont name="hinge"/>
      <body name="hand"><geom name="palm" frction="1"/></body>
      <freejoint name="f" damping="1"/>
    </body>
    <sensor/>
  </worldbody>
</mujoco>
"""


def test_every_error_is_told_with_its_path_and_a_guess() -> None:
    assert problems(BAD) == [
        "mujoco/option[0]: no attribute 'timestp'; did you mean 'timestep'?",
        "mujoco/worldbody[1]/body[arm]/jiont[hinge]: no such element there; did you mean 'joint'?",
        "mujoco/worldbody[1]/body[arm]/body[hand]/geom[palm]: no attribute 'frction'; did you mean 'friction'?",
        "mujoco/worldbody[1]/body[arm]/freejoint[f]: no attribute 'damping'",
        "mujoco/worldbody[1]/sensor[1]: no such element there",
    ]


def test_mujoco_itself_stops_at_the_first_of_them() -> None:
    with pytest.raises(ValueError, match="timestp") as caught:
        mujoco.MjModel.from_xml_string(BAD)
    assert "jiont" not in str(caught.value)


def test_what_is_no_mjcf_at_all_is_said_so() -> None:
    assert problems("<mujoco><body></mujoco>")[0].startswith("no XML")
    assert problems("<robot/>") == ["the root is <robot>, not <mujoco>"]


def test_the_worlds_we_make_have_no_errors() -> None:
    parts = (scenes.solid("part", (0, 0, 100), (20, 20, 20)), scenes.block("post", (0, 0, 0), (9, 9, 9)))
    hinge = scenes.joint("hinge", "revolute", "post", "part", (0, 0, 50), angle_range_deg=(-10, 10))
    zones = (Zone(label="fire", box=scenes.box((200, 0, 0), (300, 100, 100))),)
    scene = scenes.machine_scene(
        *parts,
        joints=(hinge,),
        drives=(scenes.drive("motor", "hinge"),),
        forbid_zones=zones,
        touching=(("part", "post"),),
    )
    for world in (compile_scene(scene), compile_scene(scenes.chute_scene())):
        assert problems(world.mjcf) == []


def test_the_schema_is_read_whole() -> None:
    whole = schema()
    assert {"option", "worldbody", "sensor", "actuator", "asset", "contact", "equality"} <= set(whole.children)
    body = whole.children["worldbody"].children["body"]
    assert body.children["body"] is body
    assert {"contype", "zaxis"} <= body.children["geom"].attributes
