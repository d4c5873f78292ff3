"""What the model does with its files; everything but a submission is answered by the role itself."""

from agent.journal.entries import fenced
from agent.loop.role import StepEvents
from agent.loop.tool_calls import name_of
from artifacts.port import ArtifactStore
from contracts.envelope import Event
from contracts.events.benchmark import BenchmarkDrafted, BenchmarkRequested
from contracts.events.conversation import ToolAnswered
from documents.shipped_skills import shipped_files

from benchmark_generator.drafts import FIELDS, DraftError, draft_of
from benchmark_generator.notes import GeneratorNotes
from benchmark_generator.publication import Publications
from benchmark_generator.replies import EditDraft, FileAction, GiveUpPlan, SubmitDraft, ViewDraft, WriteDraft

_TEXTS = {"text", "old_text", "new_text"}
"""Fields that the log has in `ModelCalled` already."""


class Actions:
    """Carries the actions of a reply out, one after the other."""

    def __init__(self, publications: Publications, artifacts: ArtifactStore) -> None:
        self._publications = publications
        self._artifacts = artifacts

    async def carry_out(
        self, action: FileAction, notes: GeneratorNotes, request: BenchmarkRequested, events: StepEvents
    ) -> tuple[GeneratorNotes, Event]:
        """Return the notes after an action, and its answer, or the request that it leads to."""
        match action:
            case WriteDraft(path=path, text=text):
                return _with_file(notes, path, text), _answered(action, f"`{path}` is written.", events)
            case EditDraft():
                return _edit(action, notes, events)
            case ViewDraft():
                return notes, _view(action, notes, events)
            case GiveUpPlan():
                notes = notes.model_copy(update={"is_planned": False, "plan_md": ""})
                return notes, _answered(action, "The plan is given up. Propose another one.", events)
            case SubmitDraft():
                return await self._submit(action, notes, request, events)

    async def _submit(
        self, action: SubmitDraft, notes: GeneratorNotes, request: BenchmarkRequested, events: StepEvents
    ) -> tuple[GeneratorNotes, Event]:
        """Submit the files; what is wrong with them at first sight costs no draft."""
        try:
            draft = await draft_of(notes.files, request.brief, self._artifacts)
        except DraftError as error:
            return notes, _answered(action, f"Not submitted:\n\n{error}", events, has_failed=True)
        if conflict := await self._publications.conflict(draft, request.run_id):
            return notes, _answered(action, f"Not submitted:\n\n- {conflict}", events, has_failed=True)
        drafts = notes.drafts + 1
        drafted = events.next(
            BenchmarkDrafted,
            brief=request.brief,
            model=request.model,
            plan_md=notes.plan_md,
            draft=draft,
            number=drafts,
        )
        return notes.model_copy(update={"drafts": drafts}), drafted


def _view(action: ViewDraft, notes: GeneratorNotes, events: StepEvents) -> ToolAnswered:
    path = action.path.strip().removeprefix("./")
    own = {name: str(getattr(notes.files, field)) for name, field in FIELDS.items()}
    files = own | {name: data.decode() for name, data in shipped_files("benchmark-generator").items()}
    if path not in files:
        return _answered(action, f"There is no file `{path}`; there are {', '.join(files)}.", events, has_failed=True)
    shown = f"`{path}`:\n\n{fenced(files[path])}" if files[path] else f"`{path}` is empty."
    return _answered(action, shown, events)


def _edit(action: EditDraft, notes: GeneratorNotes, events: StepEvents) -> tuple[GeneratorNotes, ToolAnswered]:
    text = str(getattr(notes.files, FIELDS[action.path]))
    count = text.count(action.old_text)
    if count != 1:
        found = "does not occur" if count == 0 else f"occurs {count} times"
        answer = f"Not edited: `old_text` {found} in `{action.path}`; give a text that occurs exactly once."
        return notes, _answered(action, answer, events, has_failed=True)
    notes = _with_file(notes, action.path, text.replace(action.old_text, action.new_text))
    return notes, _answered(action, f"`{action.path}` is edited.", events)


def _with_file(notes: GeneratorNotes, path: str, text: str) -> GeneratorNotes:
    return notes.model_copy(update={"files": notes.files.model_copy(update={FIELDS[path]: text})})


def _answered(action: FileAction, answer: str, events: StepEvents, *, has_failed: bool = False) -> ToolAnswered:
    fields = {"tool": name_of(type(action)), "arguments_json": action.model_dump_json(exclude=_TEXTS)}
    return events.next(ToolAnswered, answer_md=answer, has_failed=has_failed, **fields)
