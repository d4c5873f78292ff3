"""Power and control in words and tables."""

import csv
import io
from collections.abc import Iterator, Sequence

from contracts.models.design import HardwareLine

from build_package.control.circuit import START_PIN, Circuit
from build_package.control.electronics import CONTROLLER

WIRING, SCHEDULE = "control/wiring.csv", "control/schedule.csv"


def program_path(controller: int) -> str:
    """Return the path of a controller's program, counted from 1."""
    return f"control/main-{controller}.py"


def wiring_csv(circuit: Circuit) -> str:
    """Return the wiring table."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["from", "to", "colors", "cores", "cross_section_mm2", "length_mm", "current_a"])
    for each in circuit.wires:
        figures = [f"{each.cross_section_mm2:g}", f"{each.length_mm:.0f}", f"{each.current_a:g}"]
        table.writerow([each.start, each.end, each.color, each.cores, *figures])
    return text.getvalue()


def control_section(circuit: Circuit, bought: Sequence[HardwareLine], *, is_supplied: bool) -> Iterator[str]:
    """Yield the lines of the README about power and control."""
    if is_supplied:
        yield "The benchmark supplies power and control: they cost the machine nothing. Who has none can buy these:"
    else:
        yield "These are on the bill, and in the price of the machine:"
    yield ""
    yield "| catalog id | what | pieces | USD each | USD |"
    yield "|---|---|---|---|---|"
    for line in bought:
        price = line.count * line.unit_price_usd
        yield f"| `{line.catalog_id}` | {line.what} | {line.count} | {line.unit_price_usd:.2f} | {price:.2f} |"
    total = sum(line.count * line.unit_price_usd for line in bought)
    yield f"| **power and control of one machine** | | | | {total:.2f} |"
    yield ""
    for feed in circuit.feeds:
        named = ", ".join(f"`{each.label}`" for each in feed.motors)
        low, high = feed.supply.voltages_v
        dial = f"set to {feed.voltage_v:g} V, " if low < high else ""
        yield f"- {feed.name} feeds {named}: {dial}{feed.current_a:g} A with all stalled"
    for each in circuit.motors:
        if each.driver is not None:
            yield f"- {each.driver.name} drives `{each.label}`: stall current {each.sheet.stall_current_a:g} A"
    length_m = sum(each.length_mm for each in circuit.wires) / 1000
    yield f"- {len(circuit.wires)} cables, {length_m:.1f} m together: [wiring]({WIRING})"
    yield ""
    yield f"1. Wire it by [wiring.csv]({WIRING}); the boards lie at the machine's lowest corner."
    for number in range(1, circuit.controllers + 1):
        path = program_path(number)
        yield f"2. Copy [{path.rpartition('/')[2]}]({path}) as `main.py` onto {CONTROLLER.name} {number}."
    yield "3. Bring the machine into the pose of the assembly file: that is 0 for all motors. Mount a servo's horn at"
    yield "   the middle of its program's range."
    yield f"4. Close the switch at GP{START_PIN}: all runs by [schedule.csv]({SCHEDULE}). Open it: all motors stop."
    yield "5. If a motor turns the wrong way, swap its two wires; if one with an encoder runs away, swap A and B."
