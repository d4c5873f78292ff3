"""Building an environment as the host does, in this process."""

from cad_worker.job_protocol import EnvironmentBuild, EnvironmentFault, EnvironmentInVariant, EnvironmentScript
from cad_worker.jobs.environment import build_environment, make_environment
from contracts.models.benchmark import Variant


def build_from_script(code: str, variant: Variant) -> EnvironmentBuild:
    """Run the script, then check what it made."""
    made = make_environment(EnvironmentScript(code=code, variant=variant))
    if made.design is None:
        return EnvironmentBuild(fault=EnvironmentFault(reason=made.reason, detail=made.problem))
    return build_environment(EnvironmentInVariant(design=made.design, variant=variant))
