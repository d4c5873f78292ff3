"""One geometry, one digest: in any process, from any triangulation, and never for another geometry."""

import subprocess
import sys

from build123d import Axis, Compound, Part, Pos, RevoluteJoint, RigidJoint
from cad_worker.capture.design import capture_design
from cad_worker.jobs.digest import digest_of
from kernel.api.mechanism_api import bonded, fastened, gears

from tests.cad_worker.design.shop import Shop

PROGRAM = """
from build123d import *
from cad_worker.capture.design import capture_design
from cad_worker.jobs.digest import digest_of

parts = []
for i in range(6):
    part = Location((13.7 * i, 0.1 * i, 7 / 3), (11 * i, 23.3, 7)) * Box(10, 10 + i / 3, 5)
    part -= Pos(50, 0, 0) * Box(99, 1, 1)
    part.label = f"part_{i}"
    part.metadata = {"manufacturing_method": "cnc", "material_id": "pom"}
    parts.append(part)
answer = digest_of(capture_design(Compound(label="machine", children=parts))).digest
"""


def digest(*parts: Part) -> str:
    return digest_of(capture_design(Compound(label="machine", children=list(parts)))).digest


def test_a_fresh_process_and_this_one_agree() -> None:
    command = [sys.executable, "-c", f"{PROGRAM}\nprint(answer)"]
    fresh = subprocess.run(command, capture_output=True, text=True, timeout=200, check=True).stdout.strip()
    here: dict[str, str] = {}
    exec(PROGRAM, here)
    assert len(fresh) == 64
    assert fresh == here["answer"]


def test_a_hundredth_of_a_millimetre_makes_another_design(shop: Shop) -> None:
    leg = shop.part("leg", (10, 10, 50), (0, 0, 25))
    moved = shop.part("leg", (10, 10, 50), (0.01, 0, 25))
    assert digest(leg) == digest(shop.part("leg", (10, 10, 50), (0, 0, 25)))
    assert digest(leg) != digest(moved)


def test_label_method_and_material_belong_to_the_design(shop: Shop) -> None:
    variants = [
        shop.part("leg", (10, 10, 50), (0, 0, 25)),
        shop.part("foot", (10, 10, 50), (0, 0, 25)),
        shop.part("leg", (10, 10, 50), (0, 0, 25), material="petg"),
        shop.part("leg", (10, 10, 50), (0, 0, 25), method="injection_molding"),
        shop.part("leg", (10, 10, 50), (0, 0, 25), material=None),
    ]
    assert len({digest(part) for part in variants}) == len(variants)


def test_the_order_of_parts_does_not_matter(shop: Shop) -> None:
    def parts() -> list[Part]:
        return [shop.part(f"p{i}", (10, 10, 5 + i), (20 * i, 0, 5)) for i in range(3)]

    assert digest(*parts()) == digest(*reversed(parts()))


def test_triangulation_does_not_matter(shop: Shop) -> None:
    plain, meshed = (shop.part("leg", (10, 10, 50), (0, 0, 25), rotation=(10, 20, 30)) for _ in range(2))
    meshed.mesh(0.01)
    assert digest(plain) == digest(meshed)


def test_a_moved_assembly_is_a_moved_design(shop: Shop) -> None:
    machine = Compound(label="machine", children=[shop.part("leg", (10, 10, 50), (0, 0, 25))])
    moved = Pos(5, 0, 0) * machine
    assert digest_of(capture_design(moved)).digest == digest(shop.part("leg", (10, 10, 50), (5, 0, 25)))


def test_what_is_said_of_the_mechanism_belongs_to_the_design_in_any_order(shop: Shop) -> None:
    def said(*words: object) -> str:
        parts = [shop.part("leg", (10, 10, 50), (0, 0, 25)), shop.part("arm", (10, 10, 50), (10, 0, 25))]
        machine = Compound(label="machine", children=parts)
        vars(machine)["metadata"] = {"mechanism": list(words)}
        return digest_of(capture_design(machine)).digest

    glue, gear = bonded("leg", "arm"), gears("a", "b", -0.5)
    places = [(0.0, 0.0, 9.0), (5.0, 0.0, 9.0)]
    screws, screwed = (fastened("leg", "arm", "iso4762-m3x8", at=at) for at in (places, places[::-1]))
    assert said(glue, gear) == said(gear, bonded("arm", "leg")) == said([gear], [glue])
    assert said(screws) == said(screwed)
    variants = [said(), said(glue), said(gear), said(screws), said(gears("b", "a", -0.5)), said(gears("a", "b", 0.5))]
    assert len(set(variants)) == len(variants)


def test_a_joint_and_its_range_belong_to_the_design(shop: Shop) -> None:
    def jointed(limit_deg: float) -> str:
        base, arm = shop.part("base", (10, 10, 10), (0, 0, 5)), shop.part("arm", (30, 5, 5), (0, 0, 15))
        hinge = RevoluteJoint("hinge", base, Axis((0, 0, 10), (1, 2, 3)), angular_range=(0, limit_deg))
        hinge.connect_to(RigidJoint("pin", arm), angle=7)
        return digest(base, arm)

    assert jointed(90) == jointed(90) != jointed(80)


def test_a_bought_part_is_not_a_made_one(shop: Shop) -> None:
    made, bought = (shop.part("leg", (10, 10, 50), (0, 0, 25)) for _ in range(2))
    vars(bought)["metadata"]["catalog_id"] = "mg996r"
    assert digest(made) != digest(bought)
