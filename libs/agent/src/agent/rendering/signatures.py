"""Functions of a module that agents call, with their parameters and what they do, read from the code."""

import inspect
from collections.abc import Sequence
from types import ModuleType

from pydantic import BaseModel
from pydantic.fields import FieldInfo


def signatures_markdown(module: ModuleType, only: Sequence[str] | None = None) -> str:
    """List the public functions and classes of a module with parameters and the first sentence of their docstrings.

    `only` are their names, in the order of the list; without it, all.
    """
    names: Sequence[str] = module.__all__ if only is None else only
    things: list[tuple[str, object]] = [(name, getattr(module, name)) for name in names]
    lines = [f"- `{name}{_parameters(thing)}`: {_sentence(thing)}" for name, thing in things if _is_own(name, thing)]
    return "\n".join(lines)


def calls_markdown(module: ModuleType, names: Sequence[str]) -> str:
    """List functions and classes with their parameters alone."""
    return "\n".join(f"- `{name}{_parameters(getattr(module, name))}`" for name in names)


def _is_own(name: str, thing: object) -> bool:
    """Tell whether this is a function or a class of values, and not only another name of one."""
    is_value = inspect.isclass(thing) and issubclass(thing, BaseModel)
    return is_value or (inspect.isfunction(thing) and thing.__name__ == name)


def _parameters(thing: object) -> str:
    """Return the parameters without types; those of a value without its constant kind."""
    if inspect.isclass(thing) and issubclass(thing, BaseModel):
        given = {name: each for name, each in thing.model_fields.items() if name != "kind"}
        return f"({', '.join(_with_default(name, each) for name, each in given.items())})"
    assert callable(thing)
    signature = inspect.signature(thing)
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))


def _with_default(name: str, field: FieldInfo) -> str:
    return name if field.is_required() else f"{name}={field.default!r}"


def _sentence(thing: object) -> str:
    text = " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())
    return text.rstrip(".")
