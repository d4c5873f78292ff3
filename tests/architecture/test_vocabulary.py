"""One vocabulary: words that the project avoids, and the terms of docs/glossary.md, each in its one sense."""

import ast
from collections import defaultdict
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from tests.architecture.glossary import Term, terms
from tests.architecture.repository import ROOT, Source, known_files, product_sources, python_files
from tests.architecture.vocabulary import IDENTIFIER_WORDS, Use, identifier_uses, name_words, prose_uses, text_uses

TERMS = terms()
TEXTS = {".md", ".j2", ".toml", ".yaml", ".yml", ".sh"}
IDENTIFIER_EXCEPTIONS: dict[tuple[str, str], str] = {
    ("libs/contracts/src/contracts/events/plan.py", "told"): "Citation.told, a field of a schema",
    ("libs/contracts/src/contracts/models/conversation.py", "gist"): "Message.gist, a field of a schema",
}
"""By file and word: why it is used there all the same."""
PROSE_EXCEPTIONS: dict[tuple[str, str], str] = {
    ("docs/architecture/log-and-read-models.md", "told"): "log.told, a view of the database",
    ("docs/events.md", "told"): "Citation.told, a field of a schema",
    ("apps/doctor/src/doctor/check.py", "mend"): "a field of `doctor --json`",
    ("libs/agent/src/agent/context/stand_ins.py", "told"): "part of recorded prompts, which are restored to the byte",
    ("libs/store/src/store/migrations/versions/v0002_bodies_as_bytes.py", "told"): "log.told, a view of the database",
    ("libs/store/src/store/tables.py", "told"): "log.told, a view of the database",
    ("services/critic/src/critic/messages.py", "told"): "Citation.told, a field of a schema",
    ("tests/store/test_log.py", "told"): "log.told, a view of the database",
    ("tests/store/test_users.py", "told"): "log.told, a view of the database",
}
"""By file and word: why it is used there all the same."""
WRITTEN_BY_OTHERS = (
    "libs/benchmarks/src/benchmarks/suite/",
    "tests/extensions/millwright-workshop/src/millwright_workshop/worlds/",
    "tests/architecture/vocabulary.py",
    "tests/architecture/test_vocabulary.py",
    "docs/glossary.md",
)
"""Benchmarks, whose texts are data of solved runs; and the lists of these words themselves."""
SHARED_CLASS_NAMES = {"Settings": "each service has its own, in settings.py"}
SYNONYM_EXCEPTIONS: dict[tuple[str, str], str] = {("thread state", "memory"): "MemoryCheckpoints: checkpoints in RAM"}
"""By term and avoided synonym: why the synonym is used in the term's package all the same."""


def checked_sources() -> list[Source]:
    return [source for source in python_files() if not str(source.path).startswith(WRITTEN_BY_OTHERS)]


def test_identifiers_use_the_vocabulary():
    found = {(str(source.path), use.word): use for source in checked_sources() for use in identifier_uses(source)}
    assert {key: use for key, use in found.items() if key not in IDENTIFIER_EXCEPTIONS} == {}
    assert set(IDENTIFIER_EXCEPTIONS) - set(found) == set()


def test_docstrings_comments_and_messages_use_the_vocabulary():
    found = {(str(source.path), use.word): use for source in checked_sources() for use in prose_uses(source)}
    assert {key: use for key, use in found.items() if key not in PROSE_EXCEPTIONS} == {}
    assert {key for key in PROSE_EXCEPTIONS if key[0].endswith(".py")} - set(found) == set()


def test_documents_and_prompts_use_the_vocabulary():
    found: dict[tuple[str, str], Use] = {}
    for path in known_files():
        if (path.suffix in TEXTS or path == Path("run")) and not str(path).startswith(WRITTEN_BY_OTHERS):
            found |= {(str(path), use.word): use for use in text_uses((ROOT / path).read_text("utf-8"))}
    assert {key: use for key, use in found.items() if key not in PROSE_EXCEPTIONS} == {}
    assert {key for key in PROSE_EXCEPTIONS if not key[0].endswith(".py")} - set(found) == set()


@pytest.mark.parametrize("word", sorted(IDENTIFIER_WORDS))
def test_avoided_word_in_an_identifier_is_found(word: str):
    text = f"class {word.title()}Reader:\n    def read_{word}(self, the_{word}: int) -> None:\n        self.{word} = 1"
    assert len(list(identifier_uses(Source(Path("a.py"), text)))) == 4


@pytest.mark.parametrize(
    "text",
    [
        "Nobody owns it.",
        "what was said",
        "The host told it.",
        "a run is made anew",
        "It is no design.",
        "How to mend it",
        "Whoever reads",
        "is heard",
    ],
)
def test_avoided_word_in_prose_is_found(text: str):
    assert len(list(prose_uses(Source(Path("a.py"), f'"""{text}"""')))) == 1
    assert len(list(prose_uses(Source(Path("a.py"), f"x = 1  # {text}")))) == 1


@pytest.mark.parametrize("text", ["There is no room left.", "It is no longer open.", "amended", "foretold"])
def test_ordinary_prose_passes(text: str):
    assert list(text_uses(text)) == []


def test_glossary_defines_each_term_once():
    names = [term.name for term in TERMS]
    assert len(names) >= 60
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("term", [term for term in TERMS if term.definition], ids=lambda term: term.name)
def test_term_names_an_existing_definition(term: Term):
    assert resolve(term.definition) is not None


@pytest.mark.parametrize("term", [term for term in TERMS if term.synonyms], ids=lambda term: term.name)
def test_package_of_a_term_avoids_its_synonyms(term: Term):
    names = defined_names(term.package)
    assert names
    for synonym in term.synonyms:
        if (term.name, synonym) not in SYNONYM_EXCEPTIONS:
            phrase = synonym.split()
            assert [name for name in sorted(names) if contains(name_words(name), phrase)] == [], synonym


def test_class_name_belongs_to_one_package():
    packages: defaultdict[str, set[str]] = defaultdict(set)
    for source in product_sources():
        for node in source.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                packages[node.name].add(source.package)
    shared = {name: sorted(owners) for name, owners in packages.items() if len(owners) > 1}
    assert {name: owners for name, owners in shared.items() if name not in SHARED_CLASS_NAMES} == {}


def resolve(dotted: str) -> object:
    """Return the module, class, function or attribute with this path."""
    parts = dotted.split(".")
    for split in range(len(parts), 0, -1):
        try:
            found: object = import_module(".".join(parts[:split]))
        except ModuleNotFoundError:
            continue
        for name in parts[split:]:
            found = getattr(found, name)
        return found
    raise ModuleNotFoundError(dotted)


@cache
def defined_names(package: str) -> set[str]:
    """Return the names of modules, classes, functions and constants of a package."""
    names: set[str] = set()
    for source in product_sources():
        if source.package == package:
            names.add(source.path.stem)
            for node in ast.walk(source.tree):
                if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                    names.add(node.name)
    return names


def contains(words: list[str], phrase: list[str]) -> bool:
    """Return whether the words of a name contain a phrase."""
    return any(words[start : start + len(phrase)] == phrase for start in range(len(words)))
