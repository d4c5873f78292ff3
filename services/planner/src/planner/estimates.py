"""Answers to the planner's questions about prices, by the price formulas of the workbenches."""

from agent.rendering.tables import number
from parts_catalog.materials import MATERIALS, materials_for
from parts_catalog.pricing.estimate import InvalidPartError, estimate_part
from parts_catalog.pricing.order import Order

from planner.replies import EstimatePrice


def estimate_text(question: EstimatePrice, quantity: int) -> str:
    """Return mass and price of one piece, or why there is no such part."""
    material = MATERIALS.get(question.material_id)
    if material is None:
        return f"Unknown material; {question.method} has {', '.join(materials_for(question.method))}."
    size_mm = (question.length_mm, question.width_mm, question.height_mm)
    try:
        found = estimate_part(Order(material=material, quantity=quantity), question.method, size_mm, question.mass_g)
    except InvalidPartError as error:
        return f"There is no such part: {error}."
    largest = " x ".join(number(edge) for edge in found.machine_mm)
    fits = f"made on a machine for {largest} mm" if found.fits else f"too large: the machine holds {largest} mm"
    return f"{found.mass_g:.1f} g, {found.unit_price_usd:.2f} USD a piece at {quantity} machines; {fits}."
