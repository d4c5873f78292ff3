"""A release: `python -m tools.release [FOLDER]`, by default into `dist`.

Writes one wheel, `millwright`, with the code of all our packages and their extras; the versions of the lock as
constraints.txt; the SBOM in CycloneDX; notices of licences; the changelog; and SHA256SUMS of all of them. The version
is that of the tag `v1.2.3` at HEAD, else `0.0.0.dev0+COMMIT`. Attest SHA256SUMS where the release is published.
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
UV = str(ROOT / ".millwright/uv/bin/uv")
NAME = "millwright"
RUN = ("--locked", "--no-dev", "--no-emit-workspace", "--package", "cli", "--extra", "parquet", "--quiet")
NOTICES = ("CHANGELOG.md", "LICENSE", "THIRD_PARTY.md")


def main(folder: Path) -> None:
    """Write all files of a release into a new or empty folder."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        sys.exit(f"release: {folder} is not empty")
    with tempfile.TemporaryDirectory(prefix="millwright-release-") as temporary:
        project = Path(temporary)
        write_project(project, version_of(ROOT))
        _uv("build", "--quiet", "--wheel", "--out-dir", str(folder.resolve()), str(project))
    _uv("export", "--no-hashes", *RUN, "--output-file", str(folder.resolve() / "constraints.txt"))
    sbom = folder.resolve() / "sbom.cdx.json"
    _uv("export", "--format", "cyclonedx1.5", "--preview-features", "sbom-export", *RUN, "--output-file", str(sbom))
    (folder / ".gitignore").unlink(missing_ok=True)
    for name in NOTICES:
        shutil.copy(ROOT / name, folder)
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in sorted(folder.iterdir())]
    (folder / "SHA256SUMS").write_text("\n".join(sums) + "\n", encoding="utf-8")


def version_of(repository: Path) -> str:
    """Return the version that the tag of HEAD names."""
    tags = _git(repository, "tag", "--points-at", "HEAD", "--list", "v[0-9]*").split()
    return tags[-1].removeprefix("v") if tags else f"0.0.0.dev0+{_git(repository, 'rev-parse', '--short', 'HEAD')}"


def write_project(folder: Path, version: str) -> None:
    """Write a project with the modules of all our packages, what they need of others, and their extras."""
    ours = [
        path.parent for kind in ("libs", "services", "apps") for path in sorted((ROOT / kind).glob("*/pyproject.toml"))
    ]
    declared = [tomllib.loads((each / "pyproject.toml").read_text("utf-8")) for each in ours]
    names = {each["project"]["name"] for each in declared}
    for package in ours:
        shutil.copytree(package / "src", folder / "src", dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.pyc"))
    for name in ("README.md", *NOTICES):
        shutil.copy(ROOT / name, folder)
    (folder / "pyproject.toml").write_text(_toml(declared, names, version), encoding="utf-8")


def _toml(declared: list[dict[str, Any]], names: set[str], version: str) -> str:
    projects = [each["project"] for each in declared]
    needed = {need for each in projects for need in each["dependencies"] if need.partition("[")[0] not in names}
    extras: dict[str, set[str]] = {}
    points: dict[str, dict[str, str]] = {}
    for each in projects:
        for extra, needs in each.get("optional-dependencies", {}).items():
            extras.setdefault(extra, set()).update(needs)
        for group, entries in each.get("entry-points", {}).items():
            points.setdefault(group, {}).update(entries)
    excluded = [path for each in declared for path in _backend(each).get("wheel-exclude", ())]
    (command,) = (each["scripts"] for each in projects if "scripts" in each)
    (own,) = (each for each in projects if each["name"] == NAME)
    modules = sorted(name.replace("-", "_") for name in names)
    lines = [
        f'[project]\nname = "{NAME}"\nversion = "{version}"\nreadme = "README.md"\nlicense = "{own["license"]}"',
        'description = "Agents design manufacturable machines; physics is the judge."',
        f'license-files = {list(NOTICES[1:])}\nrequires-python = "{own["requires-python"]}"',
        f"dependencies = {sorted(needed)}",
        "[project.optional-dependencies]",
        *(f"{extra} = {sorted(needs)}" for extra, needs in sorted(extras.items())),
        "[project.scripts]",
        *(f'{name} = "{target}"' for name, target in command.items()),
        *(line for group, entries in points.items() for line in _entry_points(group, entries)),
        '[build-system]\nrequires = ["uv_build>=0.13,<0.14"]\nbuild-backend = "uv_build"',
        f"[tool.uv.build-backend]\nmodule-name = {modules}\nwheel-exclude = {excluded}",
    ]
    return "\n".join(lines) + "\n"


def _entry_points(group: str, entries: dict[str, str]) -> list[str]:
    return [f"[project.entry-points.{group}]", *(f'{name} = "{target}"' for name, target in entries.items())]


def _backend(project: dict[str, Any]) -> dict[str, Any]:
    return project.get("tool", {}).get("uv", {}).get("build-backend", {})


def _git(repository: Path, *arguments: str) -> str:
    line = ["git", *arguments]
    return subprocess.run(line, cwd=repository, check=True, capture_output=True, text=True).stdout.strip()


def _uv(*arguments: str) -> None:
    subprocess.run([UV, *arguments], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "dist"))
