"""Fakes of the host and of CAD, as a kernel's API sees them."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import NoReturn

import numpy as np
from contracts.models.benchmark import Limits, Payload
from contracts.models.catalog import CatalogFind
from contracts.models.design import BillOfMaterials, Finding
from contracts.models.geometry import Vector
from contracts.models.observation import Observation
from kernel.api import host_tools, mechanism_api
from kernel.api.host_tools import Released
from kernel.api.simulation_run import SimulationRun
from kernel.api.time_series import Floats


class Labelled:
    """Any object with a label, such as a part or a joint."""

    def __init__(self, label: str) -> None:
        self.label = label


class FakeScreen:
    """Records what is shown."""

    def __init__(self) -> None:
        self.shapes: list[tuple[tuple[object, ...], str]] = []
        self.pictures: list[tuple[bytes, str]] = []
        self.runs: list[tuple[SimulationRun, str]] = []

    def show_shapes(self, shapes: tuple[object, ...], label: str) -> None:
        self.shapes.append((shapes, label))

    def show_picture(self, png: bytes, label: str) -> None:
        self.pictures.append((png, label))

    def show_run(self, run: SimulationRun, label: str) -> None:
        self.runs.append((run, label))


class FakeGeometry:
    """Catalog parts without a shape, fixed contacts, and a point at the origin in place of each measured piece."""

    def catalog_part(self, part_id: str) -> object:
        return Labelled(part_id)

    def place(self, thing: object) -> str:
        return ""

    def touching(self, things: Sequence[object], to: object) -> Sequence[tuple[str, str]]:
        return [("leg", "floor"), ("leg", "beam")]

    def tray(self, size_mm: Vector, wall_mm: float | None, method: str, material_id: str) -> object:
        return (size_mm, wall_mm, method, material_id)

    def pieces(self, thing: object) -> Sequence[tuple[str, object]]:
        return [(getattr(thing, "label", "piece"), thing)]

    def clearance(self, payload: Payload, places_mm: Floats, quaternions: Floats, piece: object) -> tuple[float, int]:
        gaps_mm = np.linalg.norm(places_mm, axis=1)
        nearest = int(np.argmin(gaps_mm))
        return float(gaps_mm[nearest]), nearest


@contextmanager
def disconnected() -> Generator[None]:
    """Leave this process without host tools and geometry for the `with` block; others of its tests may connect them."""
    tools, geometry = host_tools._connected, mechanism_api._connected  # pyright: ignore[reportPrivateUsage]
    tools_before, geometry_before = list(tools), list(geometry)
    tools.clear()
    geometry.clear()
    try:
        yield
    finally:
        tools[:], geometry[:] = tools_before, geometry_before


class FakeHost(FakeScreen):
    """Host tools with a fixed quote and fixed finds of the catalog."""

    limits = Limits()
    payloads: tuple[Payload, ...] = (
        Payload(shape="ball", size_mm=20, start_mm=(0, 0, 50), density_kg_m3=1000, friction=0.5),
    )

    def __init__(
        self,
        findings: Sequence[Finding] = (),
        bill: BillOfMaterials | None = None,
        finds: Sequence[CatalogFind] = (),
    ) -> None:
        super().__init__()
        self._findings, self._bill, self._finds = findings, bill, finds
        self.quoted: list[tuple[object, int | None]] = []
        self.simulated: list[tuple[int, int, Released]] = []
        self.run: SimulationRun | None = None

    @contextmanager
    def connected(self) -> Generator[None]:
        """Connect this process to the fakes for the `with` block."""
        with disconnected():
            host_tools.connect(self)
            mechanism_api.connect_geometry(FakeGeometry())
            yield

    def quote(self, component: object, quantity: int | None = None) -> tuple[Sequence[Finding], BillOfMaterials | None]:
        self.quoted.append((component, quantity))
        return self._findings, self._bill

    def search_catalog(self, words: str, limit: int, quantity: int) -> tuple[Sequence[CatalogFind], str]:
        return self._finds, "searched by figures"

    def recall_picture(self, picture: str) -> None:
        raise AssertionError("not used")

    def simulate(
        self, assembly: object, replicas: int = 1, seed: int = 0, payload_at_mm: Released = None
    ) -> SimulationRun:
        self.simulated.append((replicas, seed, payload_at_mm))
        assert self.run is not None
        return self.run

    def run_script(self) -> Observation:
        raise AssertionError("not used")

    def submit(self, assembly: object) -> NoReturn:
        raise AssertionError("not used")

    def refuse(self, proof: str) -> NoReturn:
        raise AssertionError("not used")
