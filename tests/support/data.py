"""Where the real archives are, for tests marked `real`."""

from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def real_data() -> Path:
    """Return the folder of real archives, or skip the test that asks."""
    if not DATA.is_dir():
        pytest.skip(f"no real archives at {DATA}")
    return DATA


def archives(*folders: str) -> list[Path]:
    """Return the archives in these folders of the real data, sorted; empty where it is absent.

    A split archive is given by its base name, which is no file.
    """
    found: set[Path] = set()
    for folder in folders or ("mediawiki", "devdocs", "stackexchange", "other"):
        found.update((DATA / folder).rglob("*.zim"))
        found.update(part.with_name(part.name[:-2]) for part in (DATA / folder).rglob("*.zimaa"))
    return sorted(found)
