"""Lines of the events about skills: learned, offered, tried and changed."""

from contracts.events import skill

from documents.event_lines.event_line import EventLine, describe, register_failures, spaced
from documents.event_lines.text import counted


@describe.register
def _(event: skill.LearningRequested) -> EventLine:
    return EventLine(f"{counted(event.failures, 'run')} failed in a row: the last one is read for lessons", "info")


@describe.register
def _(event: skill.SkillLearned) -> EventLine:
    verb = "skill learned" if event.status == "adopted" else f"skill {event.status}"
    return EventLine(f"{verb}: {event.name} v{event.version}, {event.description}", "success")


@describe.register
def _(event: skill.SkillRejected) -> EventLine:
    return EventLine(f"no skill learned ({spaced(event.reason)}): {event.detail}", "detail")


@describe.register
def _(event: skill.SkillsRequested) -> EventLine:
    return EventLine(f"skills requested for {event.role}", "detail")


@describe.register
def _(event: skill.SkillsOffered) -> EventLine:
    names = ", ".join(f"{each.name} v{each.version}" for each in event.skills)
    return EventLine(f"skills offered: {names or 'none yet'}", "info" if event.skills else "detail")


@describe.register
def _(event: skill.SkillUpdated) -> EventLine:
    names = ", ".join(f"{each.name} v{each.version}" for each in event.skills)
    return EventLine(f"adopted for later runs of the {event.for_role}: {names}; this run keeps its own", "detail")


@describe.register
def _(event: skill.TrialRequested) -> EventLine:
    base = "no version of it" if event.base_version is None else f"v{event.base_version}"
    pairs = f"at most {counted(event.most_pairs, 'pair')} on {', '.join(event.benchmarks)}, model {event.model}"
    return EventLine(f"trial of {event.name} v{event.version} against {base}: {pairs}")


@describe.register
def _(event: skill.TrialCompleted) -> EventLine:
    figures = event.figures
    solved = f"solved {figures.current.solved} before and {figures.proposed.solved} after of {figures.pairs}"
    severity = "success" if event.verdict == "adopted" else "failure" if event.verdict == "rolled_back" else "info"
    return EventLine(f"skill {spaced(event.verdict)}: {event.detail}; {solved}", severity)


@describe.register
def _(event: skill.SkillChangeRequested) -> EventLine:
    version = "" if event.version is None else f" v{event.version}"
    return EventLine(f"{event.action} of skill {event.name or 'from a folder'}{version} for the {event.for_role}")


@describe.register
def _(event: skill.SkillChanged) -> EventLine:
    warnings = "".join(f"; without effect: {each}" for each in event.warnings)
    return EventLine(f"skill {event.name} v{event.version} is {event.status}{warnings}", "success")


register_failures({skill.SkillChangeRefused: "skill not changed"})
