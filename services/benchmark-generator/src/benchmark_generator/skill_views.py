"""Views of shipped skills before there is a workspace: the role answers them by itself."""

from agent.journal.entries import fenced
from agent.loop.role import StepEvents
from agent.loop.tool_calls import name_of
from contracts.events.conversation import ToolAnswered
from documents.shipped_skills import shipped_files

from benchmark_generator.replies import ViewSkill


def view_skill(action: ViewSkill, events: StepEvents) -> ToolAnswered:
    """Return a file of a skill, or which files there are."""
    files = {name: data.decode() for name, data in shipped_files("benchmark-generator").items()}
    path = action.path.strip().removeprefix("./")
    is_known = path in files
    answer = f"`{path}`:\n\n{fenced(files[path])}" if is_known else _unknown(path, files)
    return ToolAnswered(
        **events.next(),
        tool=name_of(ViewSkill),
        arguments_json=action.model_dump_json(),
        answer_md=answer,
        has_failed=not is_known,
    )


def _unknown(path: str, files: dict[str, str]) -> str:
    return f"There is no file `{path}` before the plan is approved; there are {', '.join(files)}."
