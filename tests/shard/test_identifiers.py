"""How symbols are spelt, and which words of a query may be one."""

import pytest

from shard.identifiers import MAX_ASKED, MAX_COMPONENTS, asked_in, is_code, key_of, tail_of


@pytest.mark.parametrize(
    ("name", "key"),
    [
        pytest.param("json.dumps", "json.dumps", id="dotted"),
        pytest.param("json.dumps()", "json.dumps", id="call"),
        pytest.param("json.dumps(obj, *, indent=None)", "json.dumps", id="arguments"),
        pytest.param("std::vector::push_back", "std.vector.push_back", id="colons"),
        pytest.param("std::vector<int>::push_back", "std.vector.push_back", id="template"),
        pytest.param("Array#map", "array.map", id="method"),
        pytest.param("node->next", "node.next", id="arrow"),
        pytest.param("path/filepath.Join", "path.filepath.join", id="slash"),
        pytest.param("__init__", "__init__", id="underscores"),
        pytest.param("CMAKE_BUILD_TYPE", "cmake_build_type", id="case"),
        pytest.param("genex:TARGET_FILE", "genex.target_file", id="role"),
        pytest.param("::after", "after", id="leading"),
        pytest.param("C#", "c#", id="sharp"),
        pytest.param("()", "", id="nothing"),
    ],
)
def test_key_of_a_symbol_is_the_same_however_it_is_spelt(name: str, key: str) -> None:
    assert key_of(name) == key


def test_key_of_a_long_path_keeps_its_last_components() -> None:
    key = key_of(".".join(f"c{n}" for n in range(100)))

    assert key.count(".") == MAX_COMPONENTS - 1
    assert key.endswith(".c99")


@pytest.mark.parametrize(
    ("name", "count", "tail"),
    [
        ("os.path.join()", 1, "join()"),
        ("os.path.join()", 2, "path.join()"),
        ("std::vector::push_back", 1, "push_back"),
        ("f(a.b)", 1, "f(a.b)"),
        ("json.dumps", 9, "json.dumps"),
    ],
)
def test_tail_keeps_the_spelling_of_the_last_components(name: str, count: int, tail: str) -> None:
    assert tail_of(name, count) == tail


@pytest.mark.parametrize(
    "name", ["push_back", "__init__", "os.path", "a::b", "dumps()", "getElementById", "Array#map"]
)
def test_code_looks_like_no_word(name: str) -> None:
    assert is_code(name)


@pytest.mark.parametrize("name", ["join", "Paris", "NATO", "C++", "AC/DC", "well-known", "кот"])
def test_a_plain_word_is_no_code(name: str) -> None:
    assert not is_code(name)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        pytest.param("json.dumps", ["json.dumps"], id="alone"),
        pytest.param("what does `os.path.join()` do?", ["os.path.join"], id="in a question"),
        pytest.param("push_back vs emplace_back", ["push_back", "emplace_back"], id="two"),
        pytest.param("how do I join two strings", [], id="plain words"),
        pytest.param("join?", ["join"], id="a plain word alone"),
        pytest.param("${CMAKE_BUILD_TYPE}", ["cmake_build_type"], id="variable"),
        pytest.param("-DCMAKE_BUILD_TYPE=Debug", ["cmake_build_type"], id="definition"),
        pytest.param("$<TARGET_FILE:tgt>", ["target_file"], id="generator expression"),
        pytest.param("3.14", [], id="number"),
        pytest.param("json.dumps and json.dumps()", ["json.dumps"], id="twice"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_asked_symbols_are_those_that_look_like_it(text: str, keys: list[str]) -> None:
    assert [asked.key for asked in asked_in(text)] == keys


def test_asked_symbols_are_few_however_long_the_query() -> None:
    assert len(asked_in(" ".join(f"a_{n}" for n in range(500)))) == MAX_ASKED
