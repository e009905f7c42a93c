"""What cannot be started is not started at all, and is named."""

import os
import socket
from collections.abc import Iterator

import pytest

from tests.compose.checkout import Checkout

pytestmark = pytest.mark.docker


@pytest.fixture
def fresh(built: Checkout) -> Iterator[Checkout]:
    """Return a checkout in which nothing runs; whatever a test starts there is removed."""
    yield built
    built.remove()


def test_corrupt_archive_is_named_and_nothing_is_started(fresh: Checkout) -> None:
    corpus = fresh.folder / "corpus"
    corpus.mkdir(exist_ok=True)
    corrupt = corpus / "demo-questions.zim"
    corrupt.write_bytes(os.urandom(100_000))

    result = fresh.try_make("start")
    corrupt.unlink()

    assert result.returncode != 0
    assert "library 'Questions'" in result.stderr
    assert "demo-questions.zim" in result.stderr
    assert fresh.everything() == []


@pytest.mark.parametrize("verb", ["stop", "down", "restart", "ps", "logs"])
def test_verb_before_the_first_start_touches_no_project_of_a_folder_above(
    fresh: Checkout, verb: str
) -> None:
    above = fresh.folder.parent / "compose.yaml"
    above.write_text("services: {other: {image: other}}\n")

    result = fresh.try_make(verb)
    above.unlink()

    assert result.returncode != 0
    assert result.stderr.startswith("nothing was started here: run make start")


def test_taken_port_is_named_and_nothing_is_started(fresh: Checkout) -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", fresh.port))
        taken.listen()
        result = fresh.try_make("start")

    assert result.returncode != 0
    assert f"MCP_PORT: expected a free port, got {fresh.port}" in result.stderr
    assert fresh.everything() == []


def test_own_lines_of_dotenv_are_kept(fresh: Checkout) -> None:
    dotenv = fresh.folder / ".env"
    dotenv.write_text("# mine\nSEARCH_LIMIT=7\n")

    fresh.make("start")
    environment = fresh.compose("exec", "-T", "gateway", "env")
    fresh.make("down")
    text = dotenv.read_text()
    dotenv.unlink()

    assert text.startswith("# mine\nSEARCH_LIMIT=7\n")
    assert "COMPOSE_FILE=docker/compose.yaml:.run/compose/compose.shards.yaml" in text
    assert "SEARCH_LIMIT=7" in environment
