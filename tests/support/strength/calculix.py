"""CalculiX (`ccx` of Debian's calculix-ccx) on the meshes and under the loads of our solutions.

`calculix_process` does it: Netgen and build123d, each with its own OCCT, do not bear each other in one process.
"""

import shutil
import subprocess
import sys
from collections.abc import Sequence

from pydantic import BaseModel
from strength.models import Analysis

CCX = shutil.which("ccx")


class Agreement(BaseModel):
    """Largest differences between ccx and us, each as a share."""

    displacement: float
    """Of any node, over the largest displacement of all; without rigid motion where nothing holds the solid."""
    energy: float
    """Elastic."""
    peak_stress: float
    """By von Mises at the Gauss point where ours is highest."""
    stress: float
    """At any Gauss point with at least half of that, over its own."""
    elements: int

    @property
    def most(self) -> float:
        """The greatest of displacement, energy and peak stress."""
        return max(self.displacement, self.energy, self.peak_stress)


def agreements(analyses: Sequence[Analysis]) -> list[Agreement]:
    """Solve analyses as the judge does, refinements included, and their last meshes with ccx; compare."""
    command = [sys.executable, "-m", "tests.support.strength.calculix_process"]
    given = "\n".join(analysis.model_dump_json() for analysis in analyses)
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the comparison ended with {done.returncode}: {done.stderr[-2000:]}")
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]  # Netgen prints, too
    return [Agreement.model_validate_json(line) for line in lines]
