"""README.md says what the code does."""

from tests.docs.generate import README, rewritten


def test_readme_has_the_tables_that_the_code_generates() -> None:
    text = README.read_text(encoding="utf-8")

    assert text == rewritten(text), "run make docs"
