"""The dependency groups of the images together are the dependencies of a machine."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def expanded(groups: dict[str, list[Any]], name: str) -> set[str]:
    found: set[str] = set()
    for entry in groups[name]:
        if isinstance(entry, dict):
            found |= expanded(groups, entry["include-group"])
        else:
            found.add(entry)
    return found


def test_groups_together_are_the_dependencies() -> None:
    data = project()
    roles = ("gateway", "shard", "deploy")

    union = set().union(*(expanded(data["dependency-groups"], role) for role in roles))

    assert union == set(data["project"]["dependencies"])


def test_pins_name_no_address() -> None:
    for name in ("requirements.txt", "requirements-dev.txt"):
        text = (ROOT / name).read_text()

        assert "://" not in text
        assert "--hash=sha256:" in text


def test_pins_cover_every_dependency() -> None:
    pinned = {
        line.split("==")[0]
        for line in (ROOT / "requirements.txt").read_text().splitlines()
        if "==" in line
    }

    wanted = {
        entry.split(";")[0].split(">")[0].split("<")[0].strip()
        for entry in project()["project"]["dependencies"]
    }

    assert wanted <= pinned


IMAGES = {
    "gateway": ("gateway",),
    "shard": ("shard",),
    "all-in-one": ("gateway", "shard", "deploy"),
}


def pins(path: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in path.read_text().splitlines():
        if "==" in line:
            name = line.split("==")[0]
            found[name] = [line.split(";")[0].strip(" \\")]
        elif "--hash" in line:
            found[name].append(line.strip(" \\"))
    return found


@pytest.mark.parametrize("image", IMAGES)
def test_pins_of_an_image_are_those_of_a_machine(image: str) -> None:
    every = pins(ROOT / "requirements.txt")

    for name, pin in pins(ROOT / "docker" / f"requirements-{image}.txt").items():
        assert pin == every[name]


@pytest.mark.parametrize("image", IMAGES)
def test_pins_of_an_image_cover_its_groups(image: str) -> None:
    groups = project()["dependency-groups"]
    wanted = set().union(*(expanded(groups, group) for group in IMAGES[image]))

    names = {entry.split(";")[0].split(">")[0].split("<")[0].strip() for entry in wanted}

    assert names <= set(pins(ROOT / "docker" / f"requirements-{image}.txt"))


def test_images_name_no_address() -> None:
    for path in (ROOT / "docker").iterdir():
        for line in path.read_text().splitlines():
            assert "://" not in line or "://127.0.0.1" in line or "tcp://" in line, path
