"""What people read, with and without a terminal."""

import json

import pytest

from deploy import tables
from deploy.status import ClusterStatus, GatewayStatus, LibraryStatus, Replica, unready
from tests.deploy.test_corpus import manifest


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "–"), (0.4, "0s"), (59, "59s"), (61, "1m01s"), (7260, "2h01m"), (200_000, "2d07h")],
)
def test_uptime_is_told_in_two_units(seconds: float | None, text: str) -> None:
    assert tables.uptime(seconds) == text


def status(*libraries: LibraryStatus) -> ClusterStatus:
    return ClusterStatus(GatewayStatus(state="ready", libraries=list(libraries)), {}, True)


WIKI = LibraryStatus(
    name="Wiki [en]",
    state="ready",
    snapshot="2026-11",
    documents=1234,
    index="xapian",
    replicas=[Replica(state="ready", pid=11, keeper_pid=10, uptime=61, restarts=2), Replica()],
)


def test_status_without_a_terminal_has_one_whole_line_per_replica(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tables.print_table(tables.cluster(status(WIKI)))

    header, first, second = capsys.readouterr().out.splitlines()
    assert header.split()[0] == "library"
    assert first.split() == [
        "Wiki",
        "[en]",
        "ready",
        "2026-11",
        "1,234",
        "xapian",
        "0",
        "ready",
        "10",
        "11",
        "1m01s",
        "2",
    ]
    assert second.split()[:2] == ["1", "unknown"]


def test_library_without_replicas_still_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    tables.print_table(tables.cluster(status(LibraryStatus(name="Gone", state="unavailable"))))

    assert capsys.readouterr().out.splitlines()[1].split()[:2] == ["Gone", "unavailable"]


def test_status_says_why_an_index_is_not_the_best_and_a_replica_not_ready(
    capsys: pytest.CaptureFixture[str],
) -> None:
    refused = Replica(state="down", error="speaks protocol 2, expected 1")
    old = LibraryStatus(
        name="Old", state="down", index="titles", index_reason="no index", replicas=[refused]
    )

    tables.print_table(tables.cluster(status(old)))

    out = capsys.readouterr().out
    assert "titles (no index)" in out
    assert "down (speaks protocol 2, expected 1)" in out


def test_status_says_what_a_replica_is_kept_from(capsys: pytest.CaptureFixture[str]) -> None:
    shy = Replica(
        endpoint="ipc:///run/s/wiki.7", state="suspect", quarantined=2, breaker="half-open"
    )
    far = Replica(endpoint="tcp://10.0.0.3:7100", state="ready", quarantined=0, breaker="closed")

    tables.print_table(tables.cluster(status(LibraryStatus(name="W", replicas=[shy, far]))))

    _, first, second = capsys.readouterr().out.splitlines()
    assert "  7  " in first
    assert "suspect (breaker half-open; 2 quarantined)" in first
    assert second.split()[:3] == ["10.0.0.3:7100", "ready", "–"]


def test_status_says_why_no_replica_of_a_library_is_known(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lost = LibraryStatus(name="Wiki", state="down", error="shard-wiki does not resolve")

    tables.print_table(tables.cluster(status(lost)))

    assert "down (shard-wiki does not resolve)" in capsys.readouterr().out


def test_json_is_not_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    tables.print_json({"title": "Лиса"})

    out = capsys.readouterr().out
    assert "Лиса" in out
    assert json.loads(out) == {"title": "Лиса"}


def test_hits_show_what_is_missing_and_noted(capsys: pytest.CaptureFixture[str]) -> None:
    tables.print_lines(
        tables.hits(
            {
                "results": [
                    {
                        "ref": "corpus://Wiki/Fox",
                        "library": "Wiki",
                        "title": "Fox [animal]",
                        "snapshot": "2026-11",
                        "snippet": "A " + "very " * 100 + "long snippet.",
                        "relevant_sections": [{"id": "Den", "title": "Den"}],
                    }
                ],
                "degraded": [{"library": "Site", "reason": "unavailable"}],
                "note": "no page has all the words",
            }
        )
    )

    out = capsys.readouterr().out
    assert len(out.splitlines()) == 6
    for words in ("Fox [animal]", "corpus://Wiki/Fox", "Den", "Site (unavailable)", "no page has"):
        assert words in out


def test_nothing_found_is_said() -> None:
    assert [line.plain for line in tables.hits({"results": []})] == ["nothing found"]


def test_document_has_its_title_above_and_says_that_it_is_cut() -> None:
    text = tables.document(
        {
            "title": "Fox",
            "sections": [{"content": "Lead."}, {"content": "## Den"}],
            "truncated": True,
        }
    )

    assert text.startswith("# Fox\n\nLead.\n\n## Den\n\n")
    assert "truncated" in text


@pytest.mark.parametrize(
    ("library", "words"),
    [
        pytest.param(None, "unknown to the gateway", id="unknown"),
        pytest.param(LibraryStatus(name="Wiki", state="unavailable"), "0 of 1", id="down"),
        pytest.param(
            LibraryStatus(
                name="Wiki", state="ready", replicas=[Replica(state="suspect", error="protocol 2")]
            ),
            "protocol 2",
            id="reason",
        ),
    ],
)
def test_library_that_is_not_ready_is_named_with_the_reason(
    library: LibraryStatus | None, words: str
) -> None:
    (missing,) = unready(status(*filter(None, [library])), manifest(Wiki="wiki.zim"))

    assert "'Wiki'" in missing
    assert words in missing
