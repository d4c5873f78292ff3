"""The workbenches' functions of `utils`: `from src.workbenches import validate_and_price`."""

from kernel.api.engineer_api import ManufacturingMethod
from kernel.api.pricing import price, validate_and_price

__all__ = ["ManufacturingMethod", "price", "validate_and_price"]
