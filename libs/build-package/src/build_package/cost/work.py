"""The work on one machine: minutes of assembly, mounting, wiring and tests."""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.text import counted
from parts_catalog.methods.workshop_figures import ASSEMBLY_RATES as RATES
from parts_catalog.pricing.breakdown import learned

from build_package.assembly.work_steps import WorkStep, site_work
from build_package.control.circuit import Circuit
from build_package.machine import Machine


@dataclass(frozen=True)
class Work:
    """One kind of work on one machine, when only one is made."""

    what: str
    minutes: float


def work_of(machine: Machine, steps: Sequence[WorkStep], circuit: Circuit | None) -> list[Work]:
    """Return all work from the first step to the last test."""
    work = [Work(f"step {number}: {', '.join(each.placed)}", each.minutes) for number, each in enumerate(steps, 1)]
    mounting = sum(each.minutes for each in site_work(machine))
    if mounting:
        work.append(Work("mounting", RATES.place_min + mounting))
    if circuit is not None:
        servos = sum(each.is_servo for each in circuit.motors)
        boards = len(circuit.feeds) + len(circuit.motors) - servos + circuit.controllers
        work += [
            Work(f"wiring: {counted(len(circuit.wires), 'cable')}", RATES.cable_min * len(circuit.wires)),
            Work(f"wiring: {boards} boards and supplies", RATES.board_min * boards),
            Work(f"programs of {counted(circuit.controllers, 'controller')}", RATES.program_min * circuit.controllers),
            Work(f"test of {counted(len(circuit.motors), 'motor')}", RATES.motor_test_min * len(circuit.motors)),
        ]
    return [*work, Work("check of the finished machine", RATES.check_min)]


def work_price_usd(work: Sequence[Work], quantity: int) -> float:
    """Return the price of the work on one machine in an order of `quantity`."""
    hours = learned(quantity, RATES) * sum(each.minutes for each in work) / 60 + RATES.order_h / quantity
    return RATES.margin * RATES.usd_per_h * hours
