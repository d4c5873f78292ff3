"""Each distribution has the name of its folder and package, and a layer."""

import tomllib

from tests.architecture.repository import ROOT, packages


def test_folder_distribution_and_package_names_match():
    for package, folder in packages().items():
        distribution = ROOT / folder.parents[1]
        project = tomllib.loads((distribution / "pyproject.toml").read_text())["project"]
        assert project["name"] == distribution.name
        assert package == distribution.name.replace("-", "_")


def test_every_package_has_an_import_layer():
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    assert set(config["root_packages"]) == set(packages())
    layers = config["contracts"][0]["layers"]
    assert {name.strip() for layer in layers for name in layer.split("|")} == set(packages())
