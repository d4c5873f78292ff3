"""The Compose file that is made from the manifests says what they say."""

from tests.deploy.test_images import COMPOSE
from tests.manifests.compose_file import compose_of
from tests.manifests.manifests import pods

FILE = compose_of("dev")


def test_every_pod_but_the_nightly_backup_is_a_container() -> None:
    assert set(FILE["services"]) == {each.name for each in pods("dev")} - {"backup"}


def test_containers_have_the_networks_of_compose() -> None:
    for name, container in FILE["services"].items():
        if name in COMPOSE["services"]:
            assert set(container["networks"]) == set(COMPOSE["services"][name]["networks"]) - {"front"}, name


def test_containers_are_confined_as_their_pods() -> None:
    for container in FILE["services"].values():
        assert container["user"].split(":")[0] not in {"", "0"}
        assert container["cap_drop"] == ["ALL"]
        assert container["read_only"] is True
    assert any(
        folder.startswith("/workspaces:") and "size=3g" in folder for folder in FILE["services"]["cad-worker"]["tmpfs"]
    )


def test_probe_is_that_of_the_pod() -> None:
    check = FILE["services"]["planner"]["healthcheck"]
    assert "127.0.0.1:8421/ready" in check["test"][-1]
    assert check["start_period"] == "600s"
