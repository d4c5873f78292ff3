"""A judged design with everything that was made of it: what `Workshop.judge` returns."""

from collections.abc import Mapping
from dataclasses import dataclass

from cad_worker.job_protocol import Judgement
from design_rules.design_data import DesignData
from run_report.delivery import BILL, bill_csv
from sim_worker.media.film import VideoFormat
from sim_worker.media.images import png
from sim_worker.media.renderer import MediaRenderer
from sim_worker.simulator import SimulationRecord

from millwright.verdict import DesignVerdict


@dataclass(frozen=True)
class JudgedDesign:
    """A verdict, and the geometry and the simulation behind it."""

    verdict: DesignVerdict
    files: Mapping[str, str]
    """The Python files of the design by their paths."""
    judgement: Judgement | None = None
    """None when the script failed."""
    record: SimulationRecord | None = None
    """None when nothing was simulated."""
    design: DesignData | None = None
    """What was judged, as data; None as `judgement`."""

    def contents(self, *, has_film: bool = True) -> dict[str, bytes]:
        """Return all files by their paths: scripts, verdict, bill, STEP, GLB, and the film of the nominal run.

        It blocks for seconds when it films. Raises `NothingToFilmError` from sim-worker when nothing moved.
        """
        contents = {f"script/{path}": text.encode() for path, text in self.files.items()}
        contents["verdict.md"] = self.verdict.markdown().encode()
        contents["verdict.json"] = self.verdict.model_dump_json(indent=1).encode()
        if self.verdict.bill is not None:
            contents[BILL] = bill_csv(self.verdict.bill).encode()
        if self.judgement is not None and self.judgement.step:
            contents |= _shapes(self.judgement)
        return contents | (_media(self.record) if has_film and self.record is not None else {})


def _shapes(judgement: Judgement) -> dict[str, bytes]:
    parts = {f"parts/{label}.step": step for label, step in judgement.part_steps.items()}
    return {"assembly.step": judgement.step, "assembly.glb": judgement.glb} | parts


def _media(record: SimulationRecord) -> dict[str, bytes]:
    media = MediaRenderer(VideoFormat()).render_simulation(record)
    return {
        "simulation.mp4": media.film.video_mp4,
        "simulation.webp": media.film.clip_webp,
        "simulation.glb": media.glb,
        "contact_sheet.png": media.stills.contact_sheet_png,
        "views.png": png(media.views.picture),
        "mjcf.zip": media.mjcf,
    }
