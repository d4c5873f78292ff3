"""Analyses in their own process: failures are outcomes, and do not stop the others."""

import pytest
from strength.models import Analysis, AnalysisResult, ElasticMaterial, Failure, MeshLimits
from strength.process import ProcessLimits, run

from tests.support.strength.closed_forms import CASES

BAR = CASES[0].analysis().model_copy(update={"natural_frequency": False})


class UnwantedError(Exception):
    pass


def test_run_with_unreadable_solid_fails_it_alone() -> None:
    broken = BAR.model_copy(update={"brep": "no solid"})

    first, second = run([broken, BAR])

    assert isinstance(first, Failure)
    assert first.reason == "unreadable"
    assert isinstance(second, AnalysisResult)


def test_run_of_solid_with_more_detail_than_allowed_fails() -> None:
    fine = BAR.model_copy(update={"size_mm": 2.0, "limits": MeshLimits(elements=100)})

    (outcome,) = run([fine])

    assert isinstance(outcome, Failure)
    assert outcome.reason == "too_fine"


def test_run_beyond_its_time_fails_each_analysis() -> None:
    endless = BAR.model_copy(update={"size_mm": 0.4, "limits": MeshLimits(elements=10_000_000)})

    (outcome,) = run([endless], ProcessLimits(cpu_s=2))

    assert isinstance(outcome, Failure)
    assert outcome.reason == "out_of_time"


def test_run_that_is_no_longer_wanted_ends() -> None:
    def look() -> None:
        raise UnwantedError

    with pytest.raises(UnwantedError):
        run([BAR], look=look)


def test_analysis_of_free_solid_with_unbalanced_load_is_balanced_by_inertia() -> None:
    material = ElasticMaterial(modulus_mpa=70e3, poisson=0.3, density_kg_m3=7000.0, limit_mpa=100.0)
    pushed = Analysis(brep=BAR.brep, material=material, actions=BAR.actions[1:])

    (outcome,) = run([pushed])

    assert isinstance(outcome, AnalysisResult)
    assert outcome.has_converged


def test_run_of_more_than_a_pipe_holds_reaches_a_process_that_starts_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("strength.process.LOOK_S", 1e-4)
    broken = [BAR.model_copy(update={"brep": "no solid" * 20_000}) for _ in range(2)]

    outcomes = run(broken)

    assert [isinstance(each, Failure) and each.reason for each in outcomes] == ["unreadable"] * 2
