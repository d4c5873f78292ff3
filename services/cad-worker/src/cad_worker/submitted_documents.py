"""TODO list and journal of a submission, as the user receives them beside the plan."""

from collections.abc import Mapping, Sequence

from artifacts.port import ArtifactStore
from contracts.events.conversation import JournalEntryAdded
from contracts.models.design import DeliveredDocuments
from documents.completeness import JOURNAL, TODO
from documents.journal import Journal, read_journal
from documents.parser import DocumentError
from documents.run_journal import with_entry
from documents.todo import read_todo


def submitted_documents(files: Mapping[str, str], entries: Sequence[JournalEntryAdded]) -> dict[str, str]:
    """Return TODO list and journal among these files, texts by path, with these entries in the journal.

    A malformed journal remains as it is: the check of the documents reports it.
    """
    found = {path: files[path] for path in (TODO, JOURNAL) if path in files}
    try:
        for entry in entries:
            found[JOURNAL] = with_entry(found.get(JOURNAL, Journal().markdown()), entry)
    except DocumentError:
        return found
    return found


async def store_documents(
    plan_md: str, documents: Mapping[str, str], artifacts: ArtifactStore
) -> DeliveredDocuments | None:
    """Store plan and checked documents, texts by path; None if the log is older than the field with the plan."""
    if not plan_md:
        return None
    items, entries = read_todo(documents[TODO]).items, read_journal(documents[JOURNAL]).entries
    return DeliveredDocuments(
        plan=await artifacts.put(plan_md.encode(), "text/markdown"),
        todo=await artifacts.put(documents[TODO].encode(), "text/markdown"),
        journal=await artifacts.put(documents[JOURNAL].encode(), "text/markdown"),
        items=len(items),
        items_done=sum(item.state == "done" for item in items),
        items_dropped=sum(item.state == "dropped" for item in items),
        entries=len(entries),
    )
