from contracts.events.benchmark import DraftFinding, WorldCertificate
from documents.benchmarks.certification import certification_markdown


def certificate(seed: int) -> WorldCertificate:
    return WorldCertificate(
        seed=seed,
        without_machine="at_rest",
        success_rate=1.0,
        replicas=32,
        reached_after_s=1.25,
        unit_price_usd=99.5,
        mass_kg=0.25,
        parts=7,
    )


def test_certification_begins_with_the_count_of_certified_worlds() -> None:
    finding = DraftFinding(stage="witness", seed=0, detail="two parts overlap")
    lines = certification_markdown([certificate(1)], [finding]).splitlines()
    assert lines[0] == "1 of 2 worlds certified."
    rows = [line for line in lines if line.startswith(("| 0", "| 1"))]
    assert [row.split(" | ")[1] for row in rows] == ["refused: witness.py", "certified"]
    assert "### Seed 0, witness.py" in lines


def test_certification_of_one_world_counts_in_the_singular() -> None:
    assert certification_markdown([certificate(3)], []).startswith("1 of 1 world certified.")
