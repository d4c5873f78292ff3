"""A design as a scene for a preview."""

from contracts.models.design import Finding

from cad_worker.job_protocol import DesignRequest, SceneBuild
from cad_worker.scene.scene import make_scene
from cad_worker.validation.bodies import EnvironmentChangedError
from cad_worker.validation.design_validation import validate


def scene_of(request: DesignRequest) -> SceneBuild:
    """Return the scene with what else the verdict would find, or no scene and the findings that forbid it."""
    try:
        found = validate(request)
    except EnvironmentChangedError as error:
        return SceneBuild(findings=(Finding(rule="environment_changed", detail=str(error)),))
    scene = None if found.blocking else make_scene(request.assignment.variant, found)
    return SceneBuild(scene=scene, findings=found.findings, computed=dict(found.shapes.computed))
