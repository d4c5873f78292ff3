"""Inspection of untrusted objects and their classes without running any of their code."""

from types import GetSetDescriptorType
from typing import Any

_MRO: Any = type.__dict__["__mro__"]
_DICT: Any = type.__dict__["__dict__"]
_NAME: Any = type.__dict__["__name__"]
_MODULE: Any = type.__dict__["__module__"]


def is_a(value: object, *kinds: type) -> bool:
    """Tell whether the value's class derives from one of these, regardless of a faked `__class__` or metaclass."""
    mro: tuple[type, ...] = _MRO.__get__(type(value))
    return any(each is kind for each in mro for kind in kinds)


def type_name(kind: type) -> str:
    """Return the name of a class."""
    name: str = _NAME.__get__(kind)
    return name


def module_name(kind: type) -> str:
    """Return the module in which a class was defined; empty if that is faked to be anything but text."""
    name: object = _MODULE.__get__(kind)
    return name if type(name) is str else ""


def attributes_of(value: object) -> dict[str, object] | None:
    """Return the value's instance attributes without calling a property or `__getattribute__`."""
    for each in _MRO.__get__(type(value)):
        found = _DICT.__get__(each).get("__dict__")
        if found is not None:
            return found.__get__(value) if type(found) is GetSetDescriptorType else None
    return None
