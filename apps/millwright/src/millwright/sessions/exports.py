"""Files of a judged design in the formats that were asked for."""

import asyncio
import io
import zipfile
from collections.abc import Collection, Mapping
from typing import Literal

from cad_worker.job_protocol import BUILD, Judgement
from cad_worker.submissions import build_order
from contracts.models.benchmark import Assignment
from documents.workspace_files import VALIDATED_FILES
from run_report.delivery import BILL, bill_csv
from sandbox.jobs import JobFailedError
from sim_worker.media.motion import NothingToFilmError
from sim_worker.media.renderer import MediaRenderer
from sim_worker.run.cancellation import run_in_thread
from sim_worker.simulator import SimulationRecord

from millwright.judged_design import JudgedDesign
from millwright.workshop import Workshop

Format = Literal["step", "glb", "stl", "3mf", "mjcf", "bill", "film", "build_package", "script"]
DOCUMENTS = frozenset(VALIDATED_FILES)
"""Which no design is made of."""
PACKAGED: Mapping[Format, str] = {"stl": ".stl", "3mf": ".3mf"}
"""Formats of single files of the build package, and their endings."""


class ExportError(RuntimeError):
    """A design has no file of a format; the message says why."""


class DesignExport:
    """Writes the files of designs of one run."""

    def __init__(self, workshop: Workshop, renderer: MediaRenderer, assignment: Assignment, run: str) -> None:
        self._workshop, self._renderer = workshop, renderer
        self._assignment, self._run = assignment, run

    async def files(self, design: JudgedDesign, formats: Collection[Format]) -> dict[str, bytes]:
        """Return the files by their paths; raise `ExportError`."""
        files: dict[str, bytes] = {"verdict.md": design.verdict.markdown().encode()}
        if "script" in formats:
            files |= {f"script/{path}": text.encode() for path, text in design.files.items() if path not in DOCUMENTS}
        if "bill" in formats:
            if design.verdict.bill is None:
                raise ExportError(f"a part has no price, so there is no bill; {design.verdict.headline}")
            files[BILL] = bill_csv(design.verdict.bill).encode()
        files |= await self._shapes(design, frozenset(formats))
        if "mjcf" in formats:
            files["mjcf.zip"] = _simulated(design).world.bundle()
        if "film" in formats:
            files |= await self._film(_simulated(design))
        return files

    async def _shapes(self, design: JudgedDesign, formats: frozenset[Format]) -> dict[str, bytes]:
        files: dict[str, bytes] = {}
        if "step" in formats:
            judgement = _valid(design)
            files |= {"assembly.step": judgement.step}
            files |= {f"parts/{label}.step": step for label, step in judgement.part_steps.items()}
        if "glb" in formats:
            files["assembly.glb"] = _valid(design).glb
        if formats & {"build_package", *PACKAGED}:
            packed = await self._build_package(design)
            files |= {"build_package.zip": packed} if "build_package" in formats else {}
            files |= await asyncio.to_thread(_unpacked, packed, formats)
        return files

    async def _build_package(self, design: JudgedDesign) -> bytes:
        judgement = _valid(design)
        assert design.design is not None
        order = build_order(self._assignment, self._run, design.design, judgement)
        try:
            return (await self._workshop.host.run_job(BUILD, order)).zip
        except JobFailedError as error:
            raise ExportError(f"the build package failed: {error}") from error

    async def _film(self, record: SimulationRecord) -> dict[str, bytes]:
        try:
            media = await run_in_thread(
                lambda cancellation: self._renderer.render_simulation(record, None, cancellation)
            )
        except NothingToFilmError as error:
            raise ExportError(f"there is nothing to film: {error}") from error
        return {"simulation.mp4": media.film.video_mp4, "simulation.webp": media.film.clip_webp}


def _valid(design: JudgedDesign) -> Judgement:
    if design.judgement is None or not design.judgement.step:
        raise ExportError(f"only a design without errors has shapes to export; {design.verdict.headline}")
    return design.judgement


def _simulated(design: JudgedDesign) -> SimulationRecord:
    if design.record is None:
        raise ExportError(f"only a design without errors is simulated; {design.verdict.headline}")
    return design.record


def _unpacked(packed: bytes, formats: frozenset[Format]) -> dict[str, bytes]:
    """Return the single files of a build package; raise `ExportError` if it has none of a format."""
    files: dict[str, bytes] = {}
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        for wanted in formats & PACKAGED.keys():
            found = [name for name in archive.namelist() if name.endswith(PACKAGED[wanted])]
            if not found:
                raise ExportError(f"no part of this design is printed, so it has no {wanted}; export step")
            files |= {name: archive.read(name) for name in found}
    return files
