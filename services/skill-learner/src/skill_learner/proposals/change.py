"""A proposed change of a skill: its edits applied to the current version, as a text and as a diff."""

from collections.abc import Sequence
from difflib import unified_diff

from contracts.model import Model
from documents.skill_folders.frontmatter import quoted_value

from skill_learner.tools import Edit

SKILL_FILE = "SKILL.md"


class EditError(ValueError):
    """An edit does not fit the text; the message names it."""


class SkillChange(Model):
    """A SKILL.md before and after."""

    name: str
    before: str
    """Empty: the skill is new."""
    after: str

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        lines = unified_diff(
            self.before.splitlines(), self.after.splitlines(), SKILL_FILE, SKILL_FILE, lineterm="", n=1
        )
        return "\n".join(lines)

    @property
    def deleted(self) -> list[str]:
        """The lines that the change removes."""
        return [line[1:] for line in self.diff.splitlines()[2:] if line.startswith("-")]

    @property
    def added(self) -> list[str]:
        """The lines that the change adds, below the frontmatter."""
        lines = [line[1:] for line in self.diff.splitlines()[2:] if line.startswith("+")]
        if not self.before:
            _, _, body = self.after.partition("\n---\n")
            return body.splitlines()
        return [line for line in lines if not line.startswith(("name: ", "description: "))]


def changed(name: str, description: str, before: str, edits: Sequence[Edit]) -> SkillChange:
    """Return the change that these edits make of a SKILL.md; raise `EditError`."""
    body = before.partition("\n---\n")[2] if before else ""
    for number, edit in enumerate(edits, start=1):
        body = _edited(body, edit, number)
    head = f"---\nname: {name}\ndescription: {quoted_value(description)}\n---\n"
    return SkillChange(name=name, before=before, after=f"{head}\n{body.strip()}\n")


def _edited(body: str, edit: Edit, number: int) -> str:
    if not edit.old_text:
        return f"{body.rstrip()}\n\n{edit.new_text.strip()}\n" if body.strip() else f"{edit.new_text.strip()}\n"
    count = body.count(edit.old_text)
    if count != 1:
        found = "does not occur" if count == 0 else f"occurs {count} times"
        raise EditError(f"`old_text` of edit {number} {found} below the frontmatter; give a text that occurs once.")
    return body.replace(edit.old_text, edit.new_text)
