"""Check of the SQL that the catalog's agent may run: one SELECT over the catalog's tables.

The check explains refusals to the model and names alternatives. It is not the protection: that is the login
`catalog-reader` (`store.users`), which can read only the catalog, in a read-only transaction with a time limit.
"""

# sqlglot does not type the children of its expressions.
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
_WRITES = (
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
"""Operators and keywords that sqlglot represents as functions."""
_SYNONYMS = {"pow": "power", "ceiling": "ceil", "substr": "substring", "array_size": "array_length"}


class QueryRefusedError(Exception):
    """The query was refused or failed; the message explains why to its author."""


def check_query(sql: str) -> None:
    """Raise `QueryRefusedError` unless `sql` is one query over the catalog with allowed functions and types."""
    if len(sql) > MAX_CHARS:
        raise QueryRefusedError(f"the query has {len(sql)} characters, but at most {MAX_CHARS} are allowed")
    root = _only_statement(sql)
    if not isinstance(root, exp.Query):
        raise QueryRefusedError(f"{root.key.upper()} is not allowed: only SELECT is")
    for problem in _problems(root):
        raise QueryRefusedError(problem)


def _only_statement(sql: str) -> exp.Expr:
    try:
        statements = [each for each in sqlglot.parse(sql, dialect="postgres") if each is not None]
    except SqlglotError as error:
        reason = " ".join(str(error).split())
        raise QueryRefusedError(f"the query cannot be parsed as one SELECT of Postgres: {reason[:300]}") from error
    if len(statements) != 1:
        raise QueryRefusedError(f"there are {len(statements)} statements; write exactly one SELECT")
    return statements[0]


def _problems(root: exp.Expr) -> Iterator[str]:
    cte_names = {each.alias for each in root.find_all(exp.CTE)}
    for node in root.walk():
        if isinstance(node, _WRITES):
            yield f"{node.key.upper()} is not allowed: the catalog can only be read"
        elif isinstance(node, exp.With) and node.args.get("recursive"):
            yield "WITH RECURSIVE is not allowed: write a plain WITH or a join"
        elif isinstance(node, exp.Table):
            yield from _table_problems(node, cte_names)
        elif isinstance(node, exp.Cast):
            yield from _type_problems(node.to.sql("postgres").lower())
        elif isinstance(node, exp.Func) and not isinstance(node, _SYNTAX):
            yield from _function_problems(node)


def _table_problems(table: exp.Table, cte_names: set[str]) -> Iterator[str]:
    if not isinstance(table.this, exp.Identifier):
        return  # a function in FROM is checked as a function
    if table.catalog or table.db not in ("", "catalog"):
        yield f"schema {table.db} cannot be read: only catalog can"
    elif table.name not in TABLES and (table.db or table.name not in cte_names):
        yield f"there is no table {table.name} in the catalog; the tables are {', '.join(TABLES)}"


def _function_problems(function: exp.Func) -> Iterator[str]:
    name = (function.name if isinstance(function, exp.Anonymous) else function.sql_name()).lower()
    if _SYNONYMS.get(name, name) not in FUNCTIONS:
        yield f"function {name} is not allowed; allowed are {', '.join(sorted(FUNCTIONS))}"


def _type_problems(type_name: str) -> Iterator[str]:
    if type_name.partition("(")[0] not in TYPES:
        yield f"type {type_name} is not allowed; allowed are {', '.join(sorted(TYPES))}"
