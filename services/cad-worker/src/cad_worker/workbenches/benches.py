"""All workbenches, by their method."""

from contracts.models.design import Method

from cad_worker.workbenches.cnc.bench import CncBench
from cad_worker.workbenches.interface import Workbench
from cad_worker.workbenches.moulding.bench import MouldingBench
from cad_worker.workbenches.printing.bench import PrintingBench

BENCHES: dict[Method, Workbench] = {bench.method: bench for bench in (CncBench(), PrintingBench(), MouldingBench())}
"""Every workbench."""
