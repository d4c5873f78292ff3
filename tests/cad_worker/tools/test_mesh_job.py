"""Drawing of geometry that OCCT cannot draw: found among random changes of a box's bytes."""

import random

import pytest
from build123d import Box
from cad_worker.host import KernelHost
from cad_worker.job_protocol import MESH
from design_rules.design_data import DesignData, PartData
from geometry.occt.brep import write_brep
from sandbox.jobs import JobFailedError

pytestmark = pytest.mark.asyncio(loop_scope="session")

WITHOUT_TRIANGLES, CRASHES = 23, 211


def spoilt_box(seed: int) -> DesignData:
    """Return a box with some bytes of another value."""
    chosen = random.Random(seed)
    brep = bytearray(write_brep(Box(9, 9, 9)))
    for _ in range(chosen.choice((1, 1, 2, 4))):
        brep[chosen.randrange(100, len(brep))] = chosen.randrange(256)
    return DesignData(parts=(PartData(label="box", kind="Box", brep=bytes(brep)),))


async def test_face_without_triangles_is_counted_as_unreadable(host: KernelHost) -> None:
    meshed = await host.run_job(MESH, spoilt_box(WITHOUT_TRIANGLES))
    assert (meshed.meshes, meshed.unreadable) == ((), 1)


async def test_crash_of_occt_is_reported_as_a_crash(host: KernelHost) -> None:
    with pytest.raises(JobFailedError, match="its process crashed with SIGSEGV"):
        await host.run_job(MESH, spoilt_box(CRASHES))
