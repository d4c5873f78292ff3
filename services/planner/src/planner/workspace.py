"""The planner's workspace: files that it views. It has no kernel, so they are not on a disk.

plan.md and todo.md are the form of a plan until one was proposed, and then the last proposal: `propose_plan` alone
writes them, and it checks what it writes. Skills are those shipped for planners and those that skill-learner offers.
"""

from collections.abc import Mapping

from agent.loop.role import Prompts
from artifacts.port import ArtifactStore
from contracts.models.benchmark import Limits
from contracts.models.conversation import Message
from contracts.skills import OfferedSkill
from contracts.text import shortened
from documents.shipped_skills import shipped_files
from pydantic import BaseModel, ConfigDict, Field

from planner.replies import PlannedWork, read_plan

VIEW_FILE = "view_file"
MAX_VIEWS = 12
"""Of files, per run."""
FILE_CHARS = (9_000, 3_000)
"""Of a file that is shown: its first and last characters."""


class ViewDocument(BaseModel):
    """Show a file of your workspace: plan.md, todo.md, or a file of a skill; at most 12 times."""

    model_config = ConfigDict(title=VIEW_FILE, extra="forbid")

    path: str = Field(min_length=1, max_length=200, description="Such as `skills/planning/SKILL.md`.")


class MissingFileError(LookupError):
    """The workspace has no such file; the message lists those that it has."""


class PlannerWorkspace:
    """Reads the files of one planner's workspace."""

    def __init__(self, artifacts: ArtifactStore, prompts: Prompts) -> None:
        self._artifacts = artifacts
        form = Message(author="assistant", text=prompts.render("form"))
        self._template = read_plan(form, Limits())

    async def read(self, path: str, proposed: PlannedWork | None, skills: tuple[OfferedSkill, ...]) -> str:
        """Return the text of a file; raise `MissingFileError`, or an error of the artifact store."""
        path = path.strip().removeprefix("./")
        work = proposed or self._template
        shipped = {path: data.decode() for path, data in shipped_files("planner").items()}
        files: Mapping[str, str] = {"plan.md": work.plan_md, "todo.md": work.todo_md, **shipped}
        if path in files:
            return shortened(files[path], *FILE_CHARS)
        learned = {f"skills/{skill.name}/SKILL.md": skill.skill_md for skill in skills}
        if path not in learned:
            raise MissingFileError(f"There is no file `{path}`; there are {', '.join([*files, *learned])}.")
        return shortened((await self._artifacts.get(learned[path])).decode(errors="replace"), *FILE_CHARS)
