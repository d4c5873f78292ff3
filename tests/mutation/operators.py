"""Mutants of a source file: single changes of meaning, as text, so that everything else stays as it was."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
IGNORED_CALLS = ("_log.", "logging.")
"""What a program logs is not what it does."""


@dataclass(frozen=True)
class Mutant:
    """A file with one change."""

    line: int
    before: str
    after: str
    text: str
    """The whole file."""

    @property
    def change(self) -> str:
        """The change in one line."""
        return f"{_shortened(self.before)} -> {_shortened(self.after)}"


@dataclass(frozen=True)
class _Edit:
    node: ast.expr | ast.stmt
    after: str


def mutants(source: str) -> list[Mutant]:
    """Return every mutant of a source text, in the order of lines; equal changes of one place are listed once."""
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()))
    found: dict[tuple[int, int, str], Mutant] = {}
    for edit in _edits(ast.parse(source)):
        node = edit.node
        first = starts[node.lineno - 1] + node.col_offset
        last = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        data = source.encode()
        before = data[first:last].decode()
        text = (data[:first] + edit.after.encode() + data[last:]).decode()
        found.setdefault((first, last, edit.after), Mutant(node.lineno, before, edit.after, text))
    return sorted(found.values(), key=lambda mutant: (mutant.line, mutant.before, mutant.after))


def half_of(file: str, mutant: Mutant) -> Literal["training", "held-out"]:
    """Return the half of all mutants that one belongs to: by what it changes, so that it stays there if lines move."""
    changed = mutant.text.splitlines()[mutant.line - 1].strip()
    digest = sha256(f"{file} {mutant.change} {changed}".encode()).digest()
    return "held-out" if digest[0] % 2 else "training"


def _edits(node: ast.AST) -> Iterator[_Edit]:
    """Yield the edits of a tree, without annotations, texts and log messages."""
    if isinstance(node, ast.JoinedStr) or _is_ignored(node):
        return
    yield from _of_node(node)
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:  # pyright: ignore[reportUnknownVariableType] - untyped
            if isinstance(child, ast.AST):
                yield from _edits(child)


def _is_ignored(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert):
        return True  # narrows types
    if isinstance(node, ast.keyword) and node.arg == "strict":
        return True  # of `zip`: what it guards against does not happen
    if isinstance(node, ast.If) and not node.orelse and all(_is_log(each) for each in node.body):
        return True
    return _is_log(node)


def _is_log(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and ast.unparse(node.value).startswith(IGNORED_CALLS)


def _of_node(node: ast.AST) -> Iterator[_Edit]:
    if isinstance(node, ast.expr):
        yield from _of_operator(node)
    if isinstance(node, ast.If | ast.IfExp | ast.While) and not isinstance(node.test, ast.Constant):
        yield _Edit(node.test, f"(not ({ast.unparse(node.test)}))")
    match node:
        case ast.Constant():
            yield from _of_constant(node)
        case ast.Return(value=ast.expr() as value) if not _is_none_or_false(value):
            yield _Edit(node, "return None")
        case ast.Expr(value=ast.Call() | ast.Await()):
            yield _Edit(node, "pass")
        case ast.Call(func=ast.Name(id=name)) if name in NAMES:
            yield _Edit(node.func, NAMES[name])
        case _:
            pass


def _of_operator(node: ast.expr) -> Iterator[_Edit]:
    match node:
        case ast.Compare(ops=[op]) if type(op) in COMPARISONS:
            changed = ast.Compare(node.left, [COMPARISONS[type(op)]()], node.comparators)
            yield _Edit(node, f"({ast.unparse(changed)})")
        case ast.BinOp(op=op) if type(op) in ARITHMETIC:
            yield _Edit(node, f"({ast.unparse(ast.BinOp(node.left, ARITHMETIC[type(op)](), node.right))})")
        case ast.BoolOp(op=op, values=values):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield _Edit(node, f"({ast.unparse(ast.BoolOp(other, values))})")
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield _Edit(node, f"({ast.unparse(operand)})")
        case _:
            pass


def _of_constant(node: ast.Constant) -> Iterator[_Edit]:
    match node.value:
        case bool():
            yield _Edit(node, repr(not node.value))
        case int():
            yield _Edit(node, repr(node.value + 1))
        case float():
            yield _Edit(node, repr(node.value * 2 or 1.0))
        case _:
            pass


def _is_none_or_false(value: ast.expr) -> bool:
    """Tell whether `None` would be returned already, or differ by its type alone, which the type checker notices."""
    return isinstance(value, ast.Constant) and (value.value is None or value.value is False)


def _shortened(text: str, most: int = 80) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 3]}..."
