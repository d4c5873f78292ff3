"""Validation of MJCF: all errors at once, with path and suggestion."""

from contracts.models.benchmark import Zone
from sim_worker.model import compile_scene
from sim_worker.model.mjcf_schema import schema, schema_errors

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


def test_schema_errors_have_path_and_suggestion() -> None:
    assert schema_errors(BAD) == [
        "mujoco/option[0]: no attribute 'timestp'; did you mean 'timestep'?",
        "mujoco/worldbody[1]/body[arm]/jiont[hinge]: no such element there; did you mean 'joint'?",
        "mujoco/worldbody[1]/body[arm]/body[hand]/geom[palm]: no attribute 'frction'; did you mean 'friction'?",
        "mujoco/worldbody[1]/body[arm]/freejoint[f]: no attribute 'damping'",
        "mujoco/worldbody[1]/sensor[1]: no such element there",
    ]


def test_schema_errors_of_other_xml_and_text() -> None:
    assert schema_errors("<mujoco><body></mujoco>")[0].startswith("not XML")
    assert schema_errors("<robot/>") == ["the root is <robot>, not <mujoco>"]


def test_compiled_scenes_have_no_schema_errors() -> None:
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
        assert schema_errors(world.mjcf) == []


def test_schema_has_all_elements() -> None:
    whole = schema()
    assert {"option", "worldbody", "sensor", "actuator", "asset", "contact", "equality"} <= set(whole.children)
    body = whole.children["worldbody"].children["body"]
    assert body.children["body"] is body
    assert {"contype", "zaxis"} <= body.children["geom"].attributes
