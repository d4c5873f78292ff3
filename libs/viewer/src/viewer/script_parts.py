"""Which lines of a script make which parts, found in its text: the script is parsed, never run.

A line makes a part if a string in it is the part's label, or an f-string whose fixed pieces occur in the label. That
finds what a script names; a label that it computes in another way is not found.
"""

import ast
import warnings
from collections.abc import Iterator, Mapping, Sequence

MAX_SCRIPT_CHARS = 200_000
FEWEST_FIXED_CHARS = 3
"""Of an f-string: one with less says nothing about a label."""


def lines_of_parts(script: str, labels: Sequence[str]) -> Mapping[int, tuple[str, ...]]:
    """Return the labels of the parts that each line, counted from 1, makes; nothing for a script that is not Python."""
    found: dict[int, tuple[str, ...]] = {}
    for tree in _parsed(script):
        exact = set(_names(tree)) & set(labels)
        open_labels = [label for label in labels if label not in exact]
        for first, last, text in _texts(tree):
            made = tuple(label for label in (exact if isinstance(text, str) else open_labels) if _matches(text, label))
            for line in range(first, last + 1):
                found[line] = tuple(dict.fromkeys((*found.get(line, ()), *made)))
    return {line: made for line, made in sorted(found.items()) if made}


def _parsed(script: str) -> Iterator[ast.Module]:
    """Yield the syntax tree, if there is one."""
    if len(script) > MAX_SCRIPT_CHARS:
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about its escapes and comparisons
            yield ast.parse(script)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return


def _names(tree: ast.Module) -> Iterator[str]:
    return (text for _, _, text in _texts(tree) if isinstance(text, str))


def _texts(tree: ast.Module) -> Iterator[tuple[int, int, str | tuple[str, ...]]]:
    """Yield first and last line of each innermost statement with the strings in it: texts, or pieces of f-strings."""
    for statement in ast.walk(tree):
        if not isinstance(statement, ast.stmt) or isinstance(statement, ast.FunctionDef | ast.ClassDef):
            continue
        last = statement.end_lineno or statement.lineno
        head = min((each.lineno - 1 for each in _inner_statements(statement)), default=last)
        for node in _own_nodes(statement):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield statement.lineno, max(statement.lineno, head), node.value
            elif isinstance(node, ast.JoinedStr):
                pieces = tuple(each.value if isinstance(each, ast.Constant) else "" for each in node.values)
                yield statement.lineno, max(statement.lineno, head), tuple(map(str, pieces))


def _inner_statements(statement: ast.stmt) -> Iterator[ast.stmt]:
    return (each for each in ast.iter_child_nodes(statement) if isinstance(each, ast.stmt))


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below one that do not belong to an inner statement, nor to an f-string."""
    waiting = [node]
    while waiting:
        for child in ast.iter_child_nodes(waiting.pop()):
            if isinstance(child, ast.stmt):
                continue
            yield child
            if not isinstance(child, ast.JoinedStr):
                waiting.append(child)


def _matches(text: str | tuple[str, ...], label: str) -> bool:
    """Whether a string is the label, or the fixed pieces of an f-string fill it in order, with blanks between them."""
    if isinstance(text, str):
        return text == label
    if sum(map(len, text)) < FEWEST_FIXED_CHARS:
        return False
    first, *inner, last = (*text, "") if len(text) == 1 else text
    if len(first) + len(last) > len(label) or not (label.startswith(first) and label.endswith(last)):
        return False
    start, end = len(first), len(label) - len(last)
    for piece in inner:
        at = label.find(piece, start, end)
        if at < 0:
            return False
        start = at + len(piece)
    return True
