"""Delivery: the folder with the design, its bill of materials, its report and its media."""

import asyncio
import io
import zipfile
from pathlib import Path

from artifacts.port import ArtifactError, ArtifactStore
from contracts.events.run import EngineeringRequested, RunSucceeded
from contracts.models.design import Delivery
from documents.workspaces.archive import InvalidWorkspaceError, unpack_bytes
from local_stack.errors import UserError
from run_report.delivery import BILL, BUILD_ZIP, REPORT_HTML, REPORT_MD, bill_csv, report_md, stored_files

from cli.runs.delivery_folder import write_delivery

WORKSPACE = "workspace"
"""Holds the files of the engineer, who chooses their names."""
BUILD = "build"
"""Holds the build package."""
MAX_BUILD_BYTES = 512 << 20
"""Of its files together."""


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
    if BUILD_ZIP in contents:
        contents |= _build_files(contents.pop(BUILD_ZIP))
    contents |= {f"{WORKSPACE}/{path}": data for path, data in workspace.items()}
    await asyncio.to_thread(write_delivery, folder, contents)
    return sorted(contents)


def _build_files(packed: bytes) -> dict[str, bytes]:
    """Return the files of a build package by their paths in the folder; raise `UserError`."""
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            size = sum(member.file_size for member in archive.infolist())
            if size > MAX_BUILD_BYTES:
                raise UserError(f"the build package has {size} bytes, at most {MAX_BUILD_BYTES} are unpacked")
            return {f"{BUILD}/{path}": archive.read(path) for path in archive.namelist()}
    except zipfile.BadZipFile as error:
        raise UserError(f"the run has ended, but its build package is damaged: {error}") from error


async def _contents(delivery: Delivery, artifacts: ArtifactStore) -> dict[str, bytes]:
    refs = stored_files(delivery)
    blobs = await asyncio.gather(*(artifacts.get(ref) for ref in refs.values()))
    return dict(zip(refs, blobs, strict=True))
