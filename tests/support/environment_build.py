"""Building an environment as the host does, in this process."""

from cad_worker.job_protocol import EnvironmentBuild, EnvironmentCheck, EnvironmentFault, EnvironmentScript
from cad_worker.jobs.environment import build_environment, run_environment_script
from contracts.models.benchmark import Variant


def build_from_script(code: str, variant: Variant) -> EnvironmentBuild:
    """Run the script, then check what it made."""
    made = run_environment_script(EnvironmentScript(code=code, variant=variant))
    if made.design is None:
        return EnvironmentBuild(fault=EnvironmentFault(reason=made.reason, detail=made.problem))
    return build_environment(EnvironmentCheck(design=made.design, variant=variant, payloads=made.payloads))
