"""What the Makefile reads in the operator's .env, as Docker Compose does."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

MAKEFILE = Path(__file__).parents[2] / "Makefile"

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")


def dry(folder: Path, verb: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "--no-print-directory", "--dry-run", "--file", str(MAKEFILE), verb],
        cwd=folder,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("CORPUS_TAG=mine", id="plain"),
        pytest.param("export CORPUS_TAG = 'mine'", id="quoted"),
        pytest.param("MY_CORPUS_TAG=other\nCORPUS_TAG=mine", id="beside another"),
        pytest.param("CORPUS_TAG=older\nCORPUS_TAG=mine", id="the last of two"),
    ],
)
def test_images_are_built_under_the_tag_of_dotenv(tmp_path: Path, line: str) -> None:
    (tmp_path / ".env").write_text(f"{line}\n")

    assert "corpus-mcp-$role:mine " in dry(tmp_path, "build").stdout


def test_environment_wins_over_dotenv(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("PYTHON_IMAGE=python:x\nCORPUS_TAG=mine\n")

    printed = dry(tmp_path, "build", CORPUS_TAG="other").stdout

    assert "corpus-mcp-$role:other " in printed
    assert "PYTHON_IMAGE=python:x " in printed


def test_images_have_a_tag_without_any(tmp_path: Path) -> None:
    printed = dry(tmp_path, "build", CORPUS_TAG="").stdout

    assert "corpus-mcp-$role:latest " in printed
    assert "PYTHON_IMAGE=python:3.13-slim " in printed
