"""The digest of a design: equal for equal geometry and metadata in any process, different otherwise."""

import subprocess
import sys

from build123d import Axis, Compound, Part, Pos, RevoluteJoint, RigidJoint
from cad_worker.capture.design import capture_design
from cad_worker.jobs.digest import digest_of
from kernel.api.mechanism_api import bonded, fastened, gears

from tests.support.designs import Designs

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


def test_digest_is_equal_in_another_process() -> None:
    command = [sys.executable, "-c", f"{PROGRAM}\nprint(answer)"]
    fresh = subprocess.run(command, capture_output=True, text=True, timeout=200, check=True).stdout.strip()
    here: dict[str, str] = {}
    exec(PROGRAM, here)
    assert len(fresh) == 64
    assert fresh == here["answer"]


def test_digest_depends_on_a_hundredth_of_a_millimetre(designs: Designs) -> None:
    leg = designs.part("leg", (10, 10, 50), (0, 0, 25))
    moved = designs.part("leg", (10, 10, 50), (0.01, 0, 25))
    assert digest(leg) == digest(designs.part("leg", (10, 10, 50), (0, 0, 25)))
    assert digest(leg) != digest(moved)


def test_digest_depends_on_label_method_and_material(designs: Designs) -> None:
    variants = [
        designs.part("leg", (10, 10, 50), (0, 0, 25)),
        designs.part("foot", (10, 10, 50), (0, 0, 25)),
        designs.part("leg", (10, 10, 50), (0, 0, 25), material="petg"),
        designs.part("leg", (10, 10, 50), (0, 0, 25), method="injection_molding"),
        designs.part("leg", (10, 10, 50), (0, 0, 25), material=None),
    ]
    assert len({digest(part) for part in variants}) == len(variants)


def test_digest_does_not_depend_on_order(designs: Designs) -> None:
    def parts() -> list[Part]:
        return [designs.part(f"p{i}", (10, 10, 5 + i), (20 * i, 0, 5)) for i in range(3)]

    assert digest(*parts()) == digest(*reversed(parts()))


def test_digest_does_not_depend_on_triangulation(designs: Designs) -> None:
    plain, meshed = (designs.part("leg", (10, 10, 50), (0, 0, 25), rotation=(10, 20, 30)) for _ in range(2))
    meshed.mesh(0.01)
    assert digest(plain) == digest(meshed)


def test_digest_of_moved_assembly_is_that_of_moved_parts(designs: Designs) -> None:
    machine = Compound(label="machine", children=[designs.part("leg", (10, 10, 50), (0, 0, 25))])
    moved = Pos(5, 0, 0) * machine
    assert digest_of(capture_design(moved)).digest == digest(designs.part("leg", (10, 10, 50), (5, 0, 25)))


def test_digest_depends_on_mechanism_in_any_order(designs: Designs) -> None:
    def digest_with(*declarations: object) -> str:
        parts = [designs.part("leg", (10, 10, 50), (0, 0, 25)), designs.part("arm", (10, 10, 50), (10, 0, 25))]
        machine = Compound(label="machine", children=parts)
        vars(machine)["metadata"] = {"mechanism": list(declarations)}
        return digest_of(capture_design(machine)).digest

    glue, gear = bonded("leg", "arm"), gears("a", "b", -0.5)
    places = [(0.0, 0.0, 9.0), (5.0, 0.0, 9.0)]
    screws, screwed = (fastened("leg", "arm", "iso4762-m3x8", at=at) for at in (places, places[::-1]))
    assert digest_with(glue, gear) == digest_with(gear, bonded("arm", "leg")) == digest_with([gear], [glue])
    assert digest_with(screws) == digest_with(screwed)
    variants = [
        digest_with(),
        digest_with(glue),
        digest_with(gear),
        digest_with(screws),
        digest_with(gears("b", "a", -0.5)),
        digest_with(gears("a", "b", 0.5)),
    ]
    assert len(set(variants)) == len(variants)


def test_digest_depends_on_joint_range(designs: Designs) -> None:
    def jointed(limit_deg: float) -> str:
        base, arm = designs.part("base", (10, 10, 10), (0, 0, 5)), designs.part("arm", (30, 5, 5), (0, 0, 15))
        hinge = RevoluteJoint("hinge", base, Axis((0, 0, 10), (1, 2, 3)), angular_range=(0, limit_deg))
        hinge.connect_to(RigidJoint("pin", arm), angle=7)
        return digest(base, arm)

    assert jointed(90) == jointed(90) != jointed(80)


def test_digest_depends_on_catalog_id(designs: Designs) -> None:
    made, bought = (designs.part("leg", (10, 10, 50), (0, 0, 25)) for _ in range(2))
    vars(bought)["metadata"]["catalog_id"] = "mg996r"
    assert digest(made) != digest(bought)
