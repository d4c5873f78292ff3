"""Delivery: the folder with the design, its bill of materials, its report and its media."""

import asyncio
from pathlib import Path

from artifacts.port import ArtifactError, ArtifactStore
from contracts.events.run import EngineeringRequested, RunSucceeded
from contracts.models.design import Delivery
from documents.workspaces.archive import InvalidWorkspaceError, unpack_bytes
from local_stack.errors import UserError
from run_report.delivery import BILL, REPORT_HTML, REPORT_MD, bill_csv, report_md, stored_files

from cli.runs.delivery_folder import write_delivery

WORKSPACE = "workspace"
"""Holds the files of the engineer, who chooses their names."""


async def deliver(
    request: EngineeringRequested, end: RunSucceeded, artifacts: ArtifactStore, folder: Path, page: str
) -> list[str]:
    """Write everything that a run delivered into `folder`; return the paths of the written files in it.

    `page`: the report as HTML.
    """
    try:
        workspace = unpack_bytes(await artifacts.get(end.delivery.script))
        contents = await _contents(end.delivery, artifacts)
    except ArtifactError as error:
        raise UserError(f"the run has ended, but not everything it delivered can be fetched: {error}") from error
    except InvalidWorkspaceError as error:
        raise UserError(f"the run has ended, but its workspace cannot be delivered: {error}") from error
    contents[BILL] = bill_csv(end.bill).encode()
    contents[REPORT_MD] = report_md(request, end).encode()
    contents[REPORT_HTML] = page.encode()
    contents |= {f"{WORKSPACE}/{path}": data for path, data in workspace.items()}
    await asyncio.to_thread(write_delivery, folder, contents)
    return sorted(contents)


async def _contents(delivery: Delivery, artifacts: ArtifactStore) -> dict[str, bytes]:
    refs = stored_files(delivery)
    blobs = await asyncio.gather(*(artifacts.get(ref) for ref in refs.values()))
    return dict(zip(refs, blobs, strict=True))
