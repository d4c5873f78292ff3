"""Which SQL the catalog's agent may run, by the parsed query: one SELECT over the catalog's own tables.

This gives reasons that a model can read, and names what it may write instead. It is not what holds: the database role
that runs the query can read the catalog and nothing else, in a transaction that cannot write, for a limited time.
"""

# sqlglot's expressions leave the type of their children open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from collections.abc import Iterator

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

MAX_CHARS = 4000
TABLES = (
    "part_search",
    "part",
    "price",
    "motor",
    "fastener",
    "bearing",
    "gear",
    "sprocket",
    "interface",
    "category",
    "supplier",
)
FUNCTIONS = frozenset(
    (
        "abs", "avg", "ceil", "coalesce", "concat", "count", "floor", "greatest", "least", "length", "lower", "max",
        "min", "nullif", "power", "round", "sqrt", "sum", "trim", "substring", "upper", "array_length",
        "plainto_tsquery", "websearch_to_tsquery", "to_tsquery", "ts_rank", "ts_rank_cd", "row_number", "rank",
    )
)  # fmt: skip
TYPES = frozenset(("text", "varchar", "int", "bigint", "double precision", "real", "decimal", "numeric", "boolean"))
_WRITING = (
    exp.Insert,
    exp.Update,
    exp.Delete,
    exp.Merge,
    exp.Create,
    exp.Drop,
    exp.Alter,
    exp.Command,
    exp.Into,
    exp.Lock,
)
_SYNTAX = (
    exp.And,
    exp.Or,
    exp.Case,
    exp.If,
    exp.MatchAgainst,  # @@
    exp.Exists,
    exp.Any,
    exp.All,
    exp.JSONExtract,
    exp.JSONExtractScalar,
)
"""What is written with words or operators and counts as a function."""
_OTHER_NAMES = {"pow": "power", "ceiling": "ceil", "substr": "substring", "array_size": "array_length"}


class QueryRefusedError(Exception):
    """The query is not run, or came to nothing; the text says why, for whoever wrote it."""


def check_query(sql: str) -> None:
    """Raise `QueryRefusedError` unless `sql` is one query over the catalog with functions that are known."""
    if len(sql) > MAX_CHARS:
        raise QueryRefusedError(f"the query has {len(sql)} characters, at most {MAX_CHARS} are read")
    root = _only_statement(sql)
    if not isinstance(root, exp.Query):
        raise QueryRefusedError(f"{root.key.upper()} is not allowed: only SELECT is")
    for problem in _problems(root):
        raise QueryRefusedError(problem)


def _only_statement(sql: str) -> exp.Expr:
    try:
        statements = [each for each in sqlglot.parse(sql, dialect="postgres") if each is not None]
    except SqlglotError as error:
        told = " ".join(str(error).split())
        raise QueryRefusedError(f"the query cannot be read as one SELECT of Postgres: {told[:300]}") from error
    if len(statements) != 1:
        raise QueryRefusedError(f"there are {len(statements)} statements; send exactly one SELECT")
    return statements[0]


def _problems(root: exp.Expr) -> Iterator[str]:
    named = {each.alias for each in root.find_all(exp.CTE)}
    for node in root.walk():
        if isinstance(node, _WRITING):
            yield f"{node.key.upper()} is not allowed: the catalog can only be read"
        elif isinstance(node, exp.With) and node.args.get("recursive"):
            yield "WITH RECURSIVE is not allowed: write a plain WITH or a join"
        elif isinstance(node, exp.Table):
            yield from _table_problems(node, named)
        elif isinstance(node, exp.Cast):
            yield from _type_problems(node.to.sql("postgres").lower())
        elif isinstance(node, exp.Func) and not isinstance(node, _SYNTAX):
            yield from _function_problems(node)


def _table_problems(table: exp.Table, named: set[str]) -> Iterator[str]:
    if not isinstance(table.this, exp.Identifier):
        return  # a function in FROM is looked at as a function
    if table.catalog or table.db not in ("", "catalog"):
        yield f"schema {table.db} cannot be read: only catalog can"
    elif table.name not in TABLES and (table.db or table.name not in named):
        yield f"there is no table {table.name} in the catalog; there are {', '.join(TABLES)}"


def _function_problems(function: exp.Func) -> Iterator[str]:
    name = (function.name if isinstance(function, exp.Anonymous) else function.sql_name()).lower()
    if _OTHER_NAMES.get(name, name) not in FUNCTIONS:
        yield f"function {name} is not allowed; allowed are {', '.join(sorted(FUNCTIONS))}"


def _type_problems(type_name: str) -> Iterator[str]:
    if type_name.partition("(")[0] not in TYPES:
        yield f"type {type_name} is not allowed; allowed are {', '.join(sorted(TYPES))}"
