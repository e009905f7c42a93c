"""The operator's .env keeps what is theirs."""

import pytest

from deploy import dotenv

OURS = {"COMPOSE_FILE": "docker/compose.yaml:.run/compose/x.yaml", "COMPOSE_PROJECT_NAME": "corpus"}


def test_written_twice_is_written_once() -> None:
    once = dotenv.written("", OURS)

    assert dotenv.written(once, OURS) == once
    assert "COMPOSE_PROJECT_NAME=corpus\n" in once


def test_block_is_read_back() -> None:
    assert dotenv.ours(dotenv.written("A=b\n", OURS)) == OURS
    assert dotenv.ours("A=b\n") == {}


def test_own_lines_stay_as_they_are() -> None:
    theirs = "# mine\nexport SEARCH_LIMIT = '7' # seven\n\nMCP_PORT=9000"

    text = dotenv.written(dotenv.written(theirs, OURS) + "LOG_LEVEL=DEBUG\n", OURS)

    assert text.startswith(theirs + "\n")
    assert dotenv.own(text) == {"SEARCH_LIMIT": "7", "MCP_PORT": "9000", "LOG_LEVEL": "DEBUG"}


def test_own_line_wins_over_ours() -> None:
    text = dotenv.written("COMPOSE_PROJECT_NAME=library\n", OURS)

    assert text.count("COMPOSE_PROJECT_NAME") == 1
    assert "COMPOSE_PROJECT_NAME=library\n" in text


@pytest.mark.parametrize(
    ("line", "value"),
    [
        pytest.param("A=b c", "b c", id="plain"),
        pytest.param("A=b # comment", "b", id="comment"),
        pytest.param("A='b # c'", "b # c", id="quoted"),
        pytest.param('A="b" # c', "b", id="quoted and comment"),
        pytest.param("A=", "", id="empty"),
        pytest.param("A=b#c", "b#c", id="no comment"),
    ],
)
def test_value_is_read_as_compose_reads_it(line: str, value: str) -> None:
    assert dotenv.own(line) == {"A": value}


def test_path_with_a_blank_is_quoted() -> None:
    assert "COMPOSE_FILE='a b/c.yaml'\n" in dotenv.written("", {"COMPOSE_FILE": "a b/c.yaml"})
