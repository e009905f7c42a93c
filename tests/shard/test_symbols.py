"""What a list of symbols finds, and what becomes of a bad list."""

import json
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from shard import symbols as module
from shard.archive import Archive
from shard.symbols import MAX_ALIKE, MAX_PAGES, Symbol, Symbols, page_of, read_symbols
from tests.support.zims import Entry, build_zim

PYTHON = [
    ("json.dumps()", "library/json#json.dumps"),
    ("pickle.dumps()", "library/pickle#pickle.dumps"),
    ("os.path.join()", "library/os.path#os.path.join"),
    ("str.join()", "library/stdtypes#str.join"),
    ("object.__init__()", "reference/datamodel#object.__init__"),
    ("asyncio.Task.__init__()", "library/asyncio#asyncio.Task.__init__"),
    ("c.PyList_Append()", "c-api/list#c.PyList_Append"),
    ("itertools.groupby()", "library/itertools#itertools.groupby"),
    ("filter()", "library/functions#filter"),
    ("decorator", "glossary#term-decorator"),
    ("unittest.TestCase.assertEqual()", "library/unittest#unittest.TestCase.assertEqual"),
    ("Basic usage (json)", "library/json#basic-usage"),
]
CPP = [("std::vector::push_back", "container/vector/push_back")]
CMAKE = [
    ("target_link_libraries()", "command/target_link_libraries"),
    ("CMAKE_BUILD_TYPE", "variable/cmake_build_type"),
    ("CMAKE_BUILD_TYPE", "envvar/cmake_build_type"),
]


def listing(entries: list[tuple[str, str]], group: str = "Things") -> str:
    children = [{"name": name, "href": href} for name, href in entries]
    return json.dumps({"name": "X", "children": [{"name": group, "children": children}]})


def archive_with(path: Path, content: str | bytes) -> Archive:
    pages = [Entry("library/json", "json", "<html><body><p>json</p></body></html>")]
    entry = Entry("navbar.json", "", content, "application/json", front=False)
    return Archive(build_zim(path, [*pages, entry]))


def symbols_of(entries: list[tuple[str, str]]) -> Symbols:
    split = [(name, *href.partition("#")[::2]) for name, href in entries]
    return Symbols(Symbol(name, "Things", path, fragment) for name, path, fragment in split)


@pytest.fixture(scope="module")
def symbols() -> Symbols:
    return symbols_of([*PYTHON, *CPP, *CMAKE])


@pytest.mark.parametrize(
    ("query", "path", "fragment", "alias"),
    [
        ("json.dumps", "library/json", "json.dumps", "json.dumps()"),
        ("json.dumps()", "library/json", "json.dumps", "json.dumps()"),
        ("JSON.Dumps", "library/json", "json.dumps", "json.dumps()"),
        ("os.path.join", "library/os.path", "os.path.join", "os.path.join()"),
        ("path.join", "library/os.path", "os.path.join", "path.join()"),
        ("std::vector::push_back", "container/vector/push_back", "", "std::vector::push_back"),
        ("std::vector<int>::push_back", "container/vector/push_back", "", "std::vector::push_back"),
        ("vector.push_back()", "container/vector/push_back", "", "vector::push_back"),
        ("push_back", "container/vector/push_back", "", "push_back"),
        ("target_link_libraries", "command/target_link_libraries", "", "target_link_libraries()"),
        ("__init__", "reference/datamodel", "object.__init__", "__init__()"),
        ("PyList_Append", "c-api/list", "c.PyList_Append", "PyList_Append()"),
        (
            "self.assertEqual",
            "library/unittest",
            "unittest.TestCase.assertEqual",
            "assertEqual()",
        ),
        ("why does json.dumps escape é?", "library/json", "json.dumps", "json.dumps()"),
    ],
)
def test_symbols_find_the_page_and_the_fragment(
    symbols: Symbols, query: str, path: str, fragment: str, alias: str
) -> None:
    (named,) = symbols.named_in(query)

    assert (named.symbol.path, named.symbol.fragment) == (path, fragment)
    assert named.alias == alias


def test_symbols_find_every_page_of_an_ambiguous_name(symbols: Symbols) -> None:
    paths = {named.symbol.path for named in symbols.named_in("CMAKE_BUILD_TYPE")}

    assert paths == {"variable/cmake_build_type", "envvar/cmake_build_type"}


@pytest.mark.parametrize(
    "query", ["how do I join two paths", "filter coffee", "dumps", "join", "x.join()"]
)
def test_symbols_do_not_answer_plain_questions(symbols: Symbols, query: str) -> None:
    assert symbols.named_in(query) == []


def test_a_plain_word_finds_its_symbol_under_a_longer_title(symbols: Symbols) -> None:
    aliases = [symbols.named_in(query)[0].alias for query in ("filter", "groupby")]

    assert aliases == ["filter() (Things)", "itertools.groupby()"]


def test_a_term_of_a_glossary_is_no_symbol(symbols: Symbols) -> None:
    assert symbols.named_in("decorator") == []


def test_symbols_of_one_name_lead_to_few_pages() -> None:
    many = symbols_of([(f"m{n}.get_item()", f"page/{n}#m{n}.get_item") for n in range(100)])

    assert len(many.named_in("get_item")) == MAX_PAGES


def test_symbols_look_at_few_of_one_name() -> None:
    many = symbols_of([(f"m{n}.get_item()", f"page/{n}") for n in range(MAX_ALIKE * 2)])

    assert len(many.spelt("get_item")) == MAX_ALIKE


def test_symbols_keep_little_more_than_their_names() -> None:
    many = [(f"package.module{n}.function()", f"page/{n % 50}") for n in range(5000)]
    text = sum(len(name) for name, _ in many)

    assert symbols_of(many).size < 4 * text


def test_archive_lists_its_symbols(tmp_path: Path) -> None:
    archive = archive_with(tmp_path / "a.zim", listing(PYTHON))

    found = read_symbols(archive)

    assert len(found) == len(PYTHON) - 1
    assert found.named_in("json.dumps")[0].symbol.path == "library/json"


def test_archive_without_a_list_has_no_symbols(wiki_zim: Path) -> None:
    with capture_logs() as logs:
        found = read_symbols(Archive(wiki_zim))

    assert (len(found), found.named_in("json.dumps"), logs) == (0, [], [])


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("{", id="cut off"),
        pytest.param("[]", id="no map"),
        pytest.param("{}", id="no children"),
        pytest.param('{"children": [1]}', id="numbers"),
        pytest.param('{"children": [{"children": [{"name": 1, "href": 2}]}]}', id="no texts"),
        pytest.param(b"\xff\xfe\x00", id="no UTF-8"),
        pytest.param("[" * 200_000, id="deep"),
        pytest.param('{"children": ' + '[{"x": ' * 50_000, id="deep inside"),
        pytest.param("", id="empty"),
    ],
)
def test_damaged_list_is_left_out_with_a_warning(tmp_path: Path, content: str | bytes) -> None:
    archive = archive_with(tmp_path / "a.zim", content)

    with capture_logs() as logs:
        found = read_symbols(archive)

    assert len(found) == 0
    assert [log["event"] for log in logs] == ["symbols_ignored"]


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param([{"name": None, "href": None}], id="null"),
        pytest.param([{}], id="nothing"),
        pytest.param([{"name": "a_b", "href": "#x"}], id="no page"),
        pytest.param([{"name": "a_b" * 1000, "href": "page"}], id="long"),
        pytest.param([{"name": "  ", "href": "page"}], id="spaces"),
    ],
)
def test_odd_entries_are_left_out(tmp_path: Path, entries: list[object]) -> None:
    good = {"name": "a.b", "href": "page#a.b"}
    content = json.dumps({"children": [{"name": "T", "children": [*entries, good]}]})

    found = read_symbols(archive_with(tmp_path / "a.zim", content))

    assert [named.symbol.name for named in found.named_in("a.b")] == ["a.b"]
    assert len(found) == 1


def test_huge_list_is_left_out_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = archive_with(tmp_path / "a.zim", listing(PYTHON))

    for name, limit in (("MAX_LISTING_BYTES", 100), ("MAX_SYMBOLS", 3)):
        with monkeypatch.context() as patched, capture_logs() as logs:
            patched.setattr(module, name, limit)

            assert len(read_symbols(archive)) == 0
        assert [log["event"] for log in logs] == ["symbols_ignored"]


def test_page_of_a_symbol_is_found_under_a_quoted_address(tmp_path: Path) -> None:
    archive = archive_with(tmp_path / "a.zim", listing(PYTHON))

    head = page_of(archive, Symbol("x", "", "library%2Fjson", ""))

    assert head is not None
    assert head.path == "library/json"
    assert page_of(archive, Symbol("x", "", "library/none", "")) is None
