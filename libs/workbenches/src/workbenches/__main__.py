"""`python -m workbenches PART.step --method METHOD --material MATERIAL`: can it be made, and for how much?

Prints findings and price in Markdown. Exit code 0: makeable, 1: not makeable, 2: usage error, or a file that is
unreadable or costs too much.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from contracts.models.design import Finding, Method
from geometry.occt.brep import UnreadableBrepError, read_step
from geometry.single_solid import InvalidSolidError, single_solid
from parts_catalog.materials import mass_kg, materials_for

from workbenches.interface import PartOrder
from workbenches.limits import LimitExceededError, run_limited
from workbenches.quote import (
    InvalidChoiceError,
    PartQuote,
    choose_material,
    choose_method,
    choose_tolerance_class,
    quote_part,
)
from workbenches.registry import WORKBENCHES

MAKEABLE, NOT_MAKEABLE, USAGE_ERROR = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Quote the part in a STEP file and return the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        method, order = _order(options)
        contents = read_step(options.file)
    except InvalidChoiceError as error:
        parser.error(f"the part {error}")
    except (OSError, UnreadableBrepError) as error:
        parser.error(f"cannot read the STEP file: {error}")
    try:
        solid = single_solid(contents)
    except InvalidSolidError as error:
        sys.stdout.write(f"**Not makeable.** {options.file.name} {error}\n")
        return NOT_MAKEABLE
    quote = quote_part(solid, method, order)
    sys.stdout.write(quote_markdown(quote, solid.volume))
    return NOT_MAKEABLE if quote.errors else MAKEABLE


def quote_markdown(quote: PartQuote, volume_mm3: float) -> str:
    """Return a quote as Markdown: the findings, then the price of one piece with its items."""
    order, price = quote.order, quote.price
    head = f"# {order.label}: {quote.method} of {order.material.id}, {order.quantity} pieces"
    answer = f"**Not makeable.** {len(quote.errors)} error(s):" if quote.errors else "**Makeable.**"
    items = {
        "material": price.material_usd,
        "machine": price.machine_usd,
        "set-up": price.setup_usd,
        "tooling": price.tooling_usd,
        "margin": price.margin_usd,
        "**unit price**": price.unit_price_usd,
    }
    table = ["| item | USD per piece |", "| --- | ---: |", *(f"| {name} | {usd:.2f} |" for name, usd in items.items())]
    mass_g = 1000 * mass_kg(volume_mm3, order.material.id)
    notes = [f"{volume_mm3 / 1000:.2f} cm3, {mass_g:.1f} g", f"{price.machine_min:.1f} min per piece", *price.notes]
    sections = [head, "\n".join([answer, *map(_bullet, quote.errors)])]
    if quote.advice:
        sections.append("\n".join(["Recommendations:", *map(_bullet, quote.advice)]))
    return "\n\n".join([*sections, "\n".join(table), "\n".join(f"- {note}" for note in notes)]) + "\n"


def _bullet(finding: Finding) -> str:
    return f"- {finding.severity} **{finding.rule}**: {finding.detail}"


def _order(options: argparse.Namespace) -> tuple[Method, PartOrder]:
    method = choose_method(options.method.lower().replace("-", "_"))
    material = choose_material(options.material.lower().replace("aluminium", "aluminum"), method)
    tolerance_class = choose_tolerance_class(options.tolerance)
    label = options.file.stem
    return method, PartOrder(label=label, material=material, quantity=options.quantity, tolerance_class=tolerance_class)


def _parser() -> argparse.ArgumentParser:
    materials = "\n".join(f"  {method}: {', '.join(materials_for(method))}" for method in WORKBENCHES)
    parser = argparse.ArgumentParser(
        prog="workbench",
        description="Can the part in a STEP file be made, and for how much? Prices are estimates.",
        epilog=f"methods and their materials:\n{materials}\n\nexit code: 0 makeable, 1 not makeable, 2 usage error",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path, help="STEP file with exactly one solid")
    parser.add_argument("--method", required=True, help=", ".join(WORKBENCHES))
    parser.add_argument("--material", required=True, help="id of a material, such as aluminum-6061")
    parser.add_argument("--quantity", type=_positive, default=1, help="pieces in the order (default: 1)")
    parser.add_argument("--tolerance", default="medium", help="class of ISO 2768: coarse, medium or fine")
    return parser


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is not a positive number")
    return value


def run() -> None:
    """Entry point of the `workbench` command."""
    try:
        sys.exit(run_limited(main))
    except LimitExceededError as error:
        sys.stderr.write(f"workbench: error: cannot quote the part: {error}\n")
        sys.exit(USAGE_ERROR)


if __name__ == "__main__":
    run()
