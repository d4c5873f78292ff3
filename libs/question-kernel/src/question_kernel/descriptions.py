"""Descriptions of perception's results for the list of variables, and the content of their fingerprints."""

from kernel.runtime.fingerprints import module_name, type_name
from kernel.runtime.variables import Description


def describe_spatial(value: object) -> Description | None:
    """Return summary and content of a value whose class is our own; no agent's code runs."""
    kind = type(value)
    if module_name(kind) != "spatial" and not module_name(kind).startswith("spatial."):
        return None
    text = repr(value)
    return Description(text.partition("\n")[0], f"{type_name(kind)} {text}".encode())
