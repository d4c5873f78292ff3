"""Whether a benchmark's witness solves it robustly."""

from contracts.models.simulation import SimulationResult


def failure_of_witness(result: SimulationResult) -> str:
    """Return what the result of a witness lacks, with its figures; empty if it solves the benchmark robustly."""
    if result.is_proven:
        return ""
    share = f"{result.success_rate:.0%} of {len(result.replicas)} replicas reach the goal"
    return f"the witness does not solve it robustly: {result.verdict}, {result.stability}, {share}"
