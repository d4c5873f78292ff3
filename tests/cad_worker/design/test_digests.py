"""One geometry, one digest: in any process, from any triangulation, and never for another geometry."""

import subprocess
import sys

from build123d import Compound, Part, Pos
from cad_worker.jobs.capture import capture_design
from cad_worker.jobs.digest import digest_of

from tests.cad_worker.design.shop import Shop

PROGRAM = """
from build123d import *
from cad_worker.jobs.capture import capture_design
from cad_worker.jobs.digest import digest_of

parts = []
for i in range(6):
    part = Location((13.7 * i, 0.1 * i, 7 / 3), (11 * i, 23.3, 7)) * Box(10, 10 + i / 3, 5)
    part -= Pos(50, 0, 0) * Box(99, 1, 1)
    part.label = f"part_{i}"
    part.metadata = {"manufacturing_method": "cnc", "material_id": "pom"}
    parts.append(part)
print(digest_of(capture_design(Compound(label="machine", children=parts))).digest)
"""


def digest(*parts: Part) -> str:
    return digest_of(capture_design(Compound(label="machine", children=list(parts)))).digest


def test_two_fresh_processes_agree() -> None:
    processes = [subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    first, second = (process.communicate(timeout=120)[0].strip() for process in processes)
    assert len(first) == 64
    assert first == second


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
