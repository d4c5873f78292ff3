"""What was learned."""

from contracts.skill import SkillLearned, SkillRejected

from cli.telling.gists import Gist, tell
from cli.telling.phrases import words


@tell.register
def _(event: SkillLearned) -> Gist:
    return Gist(f"skill learned: {event.name} v{event.version}, {event.description}", "good")


@tell.register
def _(event: SkillRejected) -> Gist:
    return Gist(f"no skill ({words(event.reason)}): {event.detail}", "quiet")
