"""What was learned, and what of it is offered."""

from contracts.events.skill import SkillLearned, SkillRejected, SkillsOffered, SkillsRequested

from cli.formatting.event_line import EventLine, describe
from cli.formatting.phrases import words


@describe.register
def _(event: SkillLearned) -> EventLine:
    return EventLine(f"skill learned: {event.name} v{event.version}, {event.description}", "good")


@describe.register
def _(event: SkillRejected) -> EventLine:
    return EventLine(f"no skill ({words(event.reason)}): {event.detail}", "quiet")


@describe.register
def _(event: SkillsRequested) -> EventLine:
    return EventLine(f"{event.role} asks for its skills", "quiet")


@describe.register
def _(event: SkillsOffered) -> EventLine:
    names = ", ".join(f"{skill.name} v{skill.version}" for skill in event.skills)
    return EventLine(f"skills on offer: {names or 'none yet'}", "plain" if event.skills else "quiet")
