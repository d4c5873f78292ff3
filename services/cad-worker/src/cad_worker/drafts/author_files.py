"""The first files of an author's workspace, and the benchmark's files as the host reads them."""

from importlib import resources

from benchmarks.author_texts import FIELDS, template_texts
from contracts.events.benchmark import BenchmarkSessionRequested
from contracts.models.benchmark import BenchmarkFiles
from documents.shipped_skills import shipped_files
from kernel.api import drafts
from kernel.workspace_template import template_files
from kernel_host.sessions.workspace import Workspace

from cad_worker.author_protocol import AuthorOrder


def author_order(request: BenchmarkSessionRequested) -> AuthorOrder:
    """Return the first message to the kernel."""
    return AuthorOrder(level=request.brief.level, is_review=request.reviewed is not None)


def read_only_files(request: BenchmarkSessionRequested) -> dict[str, bytes]:
    """Return the files that only the host writes, by path."""
    utils = (resources.files(drafts) / "author_utils.py").read_bytes()
    return shipped_files(request.role) | {"plan.md": request.plan_md.encode(), "utils/__init__.py": utils}


def own_files(request: BenchmarkSessionRequested) -> dict[str, str]:
    """Return the files to go on from, by path: a template or the draft under review, TODO list and journal."""
    if request.reviewed is None:
        texts = template_texts(request.brief.level)
    else:
        texts = {path: getattr(request.reviewed, field) for path, field in FIELDS.items()}
    return {**template_files(request.role), **texts, "todo.md": request.todo_md}


def texts_of(workspace: Workspace) -> BenchmarkFiles:
    """Return the benchmark's files; one that cannot be read is empty."""
    texts = {field: workspace.read(path) for path, field in FIELDS.items()}
    return BenchmarkFiles(**{field: text if isinstance(text, str) else "" for field, text in texts.items()})
