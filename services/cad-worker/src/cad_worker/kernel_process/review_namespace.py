"""Names in a critic's kernel: the design under review, its results, and the functions that examine it."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# build123d leaves the types of imported shapes open.

import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from build123d import Compound, import_step
from contracts.models.assessment import Assessment
from contracts.models.design import BillOfMaterials
from contracts.models.questions.answers import AnswerSpec
from kernel.api.document_files import JournalFile, TodoFile
from kernel.api.reviews import film_questions, reviewer_utils
from kernel.api.reviews.film_questions import FilmAnswer
from kernel.api.reviews.load_ratios import overloads, strains
from kernel.api.reviews.redundancy import each_removable_alone, economy
from kernel.api.reviews.reruns import Review, assess, connect, simulate
from kernel.api.simulation_run import SimulationRun

from cad_worker.session_protocol import DESIGN_FILE, SUBMITTED, ReviewOrder


class ReviewHost(Protocol):
    """The host's tools of a review."""

    def rerun(self, seed: int, replicas: int) -> SimulationRun:
        """Simulate the submitted scene again."""
        ...

    def assess(self) -> Assessment:
        """Count the replicas of the review's reruns."""
        ...

    def ask_film(self, question: str, spec: AnswerSpec, window_s: tuple[float, float] | None) -> FilmAnswer:
        """Ask about the film of the verdict's simulation."""
        ...


def review_namespace(review: ReviewOrder, host: ReviewHost, verdict_seed: int) -> dict[str, object]:
    """Return the names that a review adds, and connect `simulate` to the one design that it may run.

    The `utils` of cells is a reviewer's: it neither prices nor submits.
    """
    design = _design(review.bill)
    connect(Review(design, host.rerun, host.assess, verdict_seed))
    film_questions.connect(host.ask_film)
    sys.modules["utils"] = reviewer_utils
    functions = (simulate, assess, film_questions.ask_film, strains, overloads, economy, each_removable_alone)
    return {
        "design": design,
        "result": SimulationRun.of(review.result, review.trajectory_npz),
        "bill": review.bill,
        "scene": review.scene,
        "submitted": _texts(SUBMITTED),
        "skills": _texts("skills"),
        "journal": JournalFile(Path(SUBMITTED, "journal.md").absolute()),
        "todo": TodoFile(Path(SUBMITTED, "todo.md").absolute()),
        **{function.__name__: function for function in functions},
    }


def _design(bill: BillOfMaterials) -> Compound:
    """Return the delivered STEP file as an assembly, with methods and materials from the bill."""
    design = import_step(Path(DESIGN_FILE))
    lines = {line.label: line for line in bill.lines}
    for part in design.children:
        line = lines.get(part.label)
        if line is not None:
            vars(part)["metadata"] = {"manufacturing_method": line.method, "material_id": line.material_id}
    return design


def _texts(folder: str) -> Mapping[str, str]:
    """Return the text files in a folder of the workspace, by their paths in it."""
    root = Path(folder)
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return MappingProxyType({path.relative_to(root).as_posix(): path.read_text("utf-8", "replace") for path in files})
