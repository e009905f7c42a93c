"""What is written as YAML is read as what it was."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from deploy.yaml_text import dump

texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=30)


@given(st.dictionaries(texts, st.lists(texts) | texts | st.integers() | st.booleans() | st.none()))
def test_document_is_read_back(document: dict[str, Any]) -> None:
    assert yaml.safe_load(dump(document)) == document


@pytest.mark.parametrize("name", ["y", "N", "no", "1e3", "0o17", "1_0", "12:30", ".5", "-x", "~"])
def test_names_that_some_reader_takes_for_something_else_are_quoted(name: str) -> None:
    assert dump([name]).strip() in (f'["{name}"]', f"['{name}']")


def test_lines_stay_lines() -> None:
    assert dump({"a": "one\ntwo\n"}) == "a: |\n  one\n  two\n"


def test_documents_are_a_stream() -> None:
    assert list(yaml.safe_load_all(dump({"a": 1}, {"b": 2}))) == [{"a": 1}, {"b": 2}]
