"""What was learned, and what of it is offered."""

from contracts.events.skill import SkillLearned, SkillRejected, SkillsOffered, SkillsRequested

from cli.formatting.event_line import Gist, tell
from cli.formatting.phrases import words


@tell.register
def _(event: SkillLearned) -> Gist:
    return Gist(f"skill learned: {event.name} v{event.version}, {event.description}", "good")


@tell.register
def _(event: SkillRejected) -> Gist:
    return Gist(f"no skill ({words(event.reason)}): {event.detail}", "quiet")


@tell.register
def _(event: SkillsRequested) -> Gist:
    return Gist(f"{event.role} asks for its skills", "quiet")


@tell.register
def _(event: SkillsOffered) -> Gist:
    names = ", ".join(f"{skill.name} v{skill.version}" for skill in event.skills)
    return Gist(f"skills on offer: {names or 'none yet'}", "plain" if event.skills else "quiet")
