"""Workers whose outcomes are drawn at random: cells, files, verdicts of physics, and reruns of a review.

Only what workers publish is random. As in the real one, a critic's host counts the reruns that it answered itself, and
a kernel may claim any variable.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TypeVar, get_args

from contracts.envelope import Event, answering
from contracts.events import catalog, design, run, session, simulation, skill
from contracts.models.assessment import Assessment, AssessmentRecord, Rerun
from contracts.models.design import Finding
from contracts.models.observation import CellError, Observation, Variable
from contracts.models.simulation import Ending, ReplicaResult, SimulationResult
from contracts.models.submission import Refusal
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from tests.contracts import example_values as values
from tests.verdicts.random_replies import NAMES

T = TypeVar("T")
ENDINGS: tuple[Ending, ...] = get_args(Ending)
MAX_REPLICAS = 12
JUDGED_SEED = values.VARIANT.seed


@st.composite
def results(draw: st.DrawFn) -> SimulationResult:
    """Draw what physics may say: every verdict with every stability, half of them proven."""
    is_proven = draw(st.booleans())
    endings = draw(st.lists(st.sampled_from(ENDINGS), max_size=3))
    nominal = values.RESULT.nominal
    replicas = [ReplicaResult.model_validate({**dict(nominal), "ending": each, "cause": "so"}) for each in endings]
    return values.RESULT.model_copy(
        update={
            "verdict": "solved" if is_proven else draw(st.sampled_from(("solved", "failed"))),
            "stability": "stable" if is_proven else draw(st.sampled_from(("untested", "stable", "flaky", "failed"))),
            "success_rate": draw(st.sampled_from((0.0, 0.5, 0.9, 1.0))),
            "replicas": tuple(replicas),
        }
    )


@st.composite
def _calls(draw: st.DrawFn) -> list[tuple[int, int]]:
    """Draw seed and replicas of one cell's reruns: none, some, a seed twice, the verdict's seed, or about enough."""
    kind = draw(st.sampled_from(("none", "any", "enough", "enough")))
    if kind == "none":
        return []
    fewest, most = (1, 7) if kind == "any" else (5, 6)
    seeds = draw(st.lists(st.integers(JUDGED_SEED - 2, JUDGED_SEED + 8), min_size=fewest, max_size=most))
    return [(seed, draw(st.integers(2, MAX_REPLICAS)) if kind == "any" else 6) for seed in seeds]


@st.composite
def _replicas(draw: st.DrawFn) -> list[str]:
    """Draw the endings of a seed's replicas; a shorter rerun has the first of them."""
    missed = draw(st.sampled_from((0, 0, 0, 0, 1, 2)))
    return [draw(st.sampled_from(ENDINGS[1:]))] * missed + ["reached_goal"] * (MAX_REPLICAS - missed)


@dataclass
class RandomWorkers:
    """cad-worker, sim-worker, catalog and the offers of skill-learner."""

    data: DataObject
    reruns: list[list[Rerun]] = field(default_factory=list[list[Rerun]])
    """Of each review, in order."""
    _endings: dict[tuple[int, int], list[str]] = field(default_factory=dict[tuple[int, int], list[str]])
    """Of all replicas, by review and seed."""

    def outcome(self, request: Event) -> Event | None:
        """Return the outcome of a request to a worker; None for other events."""
        return self._about_run(request) or self._about_session(request) or self._about_design(request)

    def _about_run(self, request: Event) -> Event | None:
        match request:
            case run.EnvironmentRequested():
                return run.EnvironmentBuilt(
                    **answering(request, "cad-worker"), environment=values.ENVIRONMENT, build_s=0.1
                )
            case run.EnvironmentBuilt():
                return values.checked(request)
            case catalog.CatalogSearchRequested():
                return catalog.CatalogSearched(**answering(request, "catalog"), found=())
            case skill.SkillsRequested():
                return skill.SkillsOffered(**answering(request, "skill-learner"), skills=())
            case _:
                return None

    def _about_session(self, request: Event) -> Event | None:
        match request:
            case session.SessionRequested():
                if request.reviewed is not None:
                    self.reruns.append([])
                return session.SessionOpened(**answering(request, "cad-worker"), ready_s=0.1, files=("script.py",))
            case session.CellRequested(role="critic"):
                return self._review_cell(request)
            case session.CellRequested():
                return self._cell(request)
            case session.FileWriteRequested() | session.FileEditRequested() | session.FileViewRequested():
                return self._file(request)
            case _:
                return None

    def _about_design(self, request: Event) -> Event | None:
        match request:
            case design.DesignSubmitted():
                return self._validated(request)
            case design.DesignValidated():
                result = self._draw(results())
                return design.DesignSimulated(
                    **answering(request, "sim-worker"),
                    assignment=request.assignment,
                    model=request.model,
                    delivery=values.DELIVERY,
                    bill=values.BILL,
                    result=result,
                )
            case simulation.FilmRequested() if self._draw(st.booleans()):
                return simulation.FilmCompleted(
                    **answering(request, "sim-worker"), summary_md="SOLVED", media=values.MEDIA
                )
            case simulation.FilmRequested():
                return simulation.FilmFailed(
                    **answering(request, "sim-worker"), reason="nothing_to_film", detail="dark"
                )
            case _:
                return None

    def _validated(self, request: design.DesignSubmitted) -> Event:
        if self._draw(st.integers(0, 4)) == 0:
            finding = Finding(rule="over_mass", detail="too heavy")
            limits = request.assignment.limits
            return design.DesignInvalidated(**answering(request, "cad-worker"), findings=(finding,), limits=limits)
        return design.DesignValidated(
            **answering(request, "cad-worker"),
            assignment=request.assignment,
            model=request.model,
            scene=values.SCENE,
            delivery=values.DELIVERY,
            bill=values.BILL,
        )

    def _cell(self, request: session.CellRequested) -> session.CellCompleted:
        """Return the outcome of an engineer's cell."""
        if "1 / 0" in request.code:
            error = CellError(type="ZeroDivisionError", message="division by zero")
            return session.CellCompleted(
                **answering(request, "cad-worker"), observation=Observation(status="error", error=error)
            )
        ending = values.SUBMISSION if "submit" in request.code else None
        if ending is None and self._draw(st.integers(0, 3)) == 0:
            proof = self._draw(st.sampled_from(("It cannot be: [cell 1].", "It cannot be: [cell 99].", "Never.")))
            ending = Refusal(proof=proof)
        return session.CellCompleted(
            **answering(request, "cad-worker"), observation=Observation(status="ok"), ending=ending, simulations=1
        )

    def _review_cell(self, request: session.CellRequested) -> session.CellCompleted:
        self.reruns[-1] += [self._rerun(seed, count) for seed, count in self._draw(_calls())]
        assessment = Assessment.of(self.reruns[-1], JUDGED_SEED)
        record = AssessmentRecord(
            assessment=assessment, fingerprint=sha256(assessment.model_dump_json().encode()).hexdigest()[:16]
        )
        observation = Observation(status="ok", variables=self._variables(record))
        return session.CellCompleted(**answering(request, "cad-worker"), observation=observation, assessment=record)

    def _rerun(self, seed: int, count: int) -> Rerun:
        key = (len(self.reruns), seed)
        if key not in self._endings:
            self._endings[key] = self._draw(_replicas())
        return Rerun.model_validate({"seed": seed, "endings": self._endings[key][:count]})

    def _variables(self, record: AssessmentRecord) -> tuple[Variable, ...]:
        """Return what a kernel claims to have bound: the host's count, or anything that looks like it."""
        bound: Sequence[str] = self._draw(st.lists(st.sampled_from(NAMES), max_size=3, unique=True))
        forged = Variable(name="", type="Assessment", summary="stable: 30 of 30", change="new", fingerprint="f0f0")
        others = [
            forged.model_copy(update={"name": name, "fingerprint": self._draw(st.sampled_from(("f0f0", "")))})
            for name in bound
            if name != "stability"
        ]
        is_honest = self._draw(st.integers(0, 3)) > 0
        fingerprint = record.fingerprint if is_honest else "f0f0"
        return (*others, forged.model_copy(update={"name": "stability", "fingerprint": fingerprint}))

    def _file(
        self, request: session.FileWriteRequested | session.FileEditRequested | session.FileViewRequested
    ) -> Event:
        if isinstance(request, session.FileViewRequested):
            return session.FileViewed(
                **answering(request, "cad-worker"), path=request.path, text="text", from_line=1, total_lines=1
            )
        if isinstance(request, session.FileEditRequested):
            return session.FileRefused(
                **answering(request, "cad-worker"), path=request.path, reason="not_found", detail="it is not there"
            )
        text = request.text
        digest = sha256(text.encode()).hexdigest()
        return session.FileWritten(
            **answering(request, "cad-worker"), path=request.path, size_bytes=len(text), sha256=digest, text=text
        )

    def _draw(self, strategy: st.SearchStrategy[T]) -> T:
        return self.data.draw(strategy)
