"""All workbenches, by their method."""

from contracts.models.design import Method

from workbenches.cnc.bench import CncBench
from workbenches.interface import Workbench
from workbenches.moulding.bench import MouldingBench
from workbenches.printing.bench import PrintingBench
from workbenches.sheet_metal.bench import SheetMetalBench
from workbenches.turning.bench import TurningBench

WORKBENCHES: dict[Method, Workbench] = {
    bench.method: bench for bench in (CncBench(), PrintingBench(), MouldingBench(), TurningBench(), SheetMetalBench())
}
