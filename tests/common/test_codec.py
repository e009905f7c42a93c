"""Frames survive the wire; whatever else arrives is a ProtocolError."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common import codec, errors
from common.frames import (
    PROTOCOL_TAG,
    DescribeReply,
    DescribeRequest,
    DocumentReply,
    DocumentRequest,
    ErrorReply,
    Frame,
    LightHit,
    Preview,
    PreviewReply,
    PreviewRequest,
    QueryReply,
    QueryRequest,
    SectionContent,
    SectionEntry,
    SpellReply,
    SpellRequest,
    Suggestion,
)

REQUESTS: list[Frame] = [
    DescribeRequest(request_id=1, library="C++"),
    QueryRequest(
        request_id=2, library="W", archive="u", budget=7.5, text="Мінск", words=["мінск"], limit=30
    ),
    SpellRequest(
        request_id=6, library="W", archive="u", budget=1, words=["stuot"], beside=["oyster"]
    ),
    PreviewRequest(
        request_id=3, library="W", archive="u", budget=1, paths=["A/x"], words=["x"], weights=[1.5]
    ),
    DocumentRequest(
        request_id=4, library="W", archive="u", budget=1, path="", sections=[""], max_chars=1000
    ),
]
REPLIES: list[Frame] = [
    DescribeReply(
        request_id=1,
        protocol=1,
        library="W",
        archive="u",
        snapshot="2026-06",
        title="t",
        language="en",
        kind="article",
        adapter="mediawiki",
        documents=1,
        total_length=2,
        index="xapian",
        pid=3,
    ),
    QueryReply(
        request_id=2,
        documents=1,
        total_length=2,
        frequencies=[1],
        counted=True,
        hits=[LightHit("A/x", "X", 10, [2])],
        titles=[LightHit("A/x", "X", 10, [2], "alias")],
    ),
    SpellReply(request_id=6, suggestions=[[Suggestion("stout", 1, 30, 4, 2)], []]),
    PreviewReply(
        request_id=3, previews=[Preview(path="A/x", sections=[SectionEntry(id="a", title="A")])]
    ),
    DocumentReply(
        request_id=4,
        path="A/x",
        title="X",
        sections=[
            SectionContent(
                id="question", title="q", content="c", metadata={"tags": ["a"], "score": 1}
            )
        ],
        available=[],
        truncated=True,
    ),
    ErrorReply(request_id=5, code="archive", message="m"),
]


@pytest.mark.parametrize("frame", REQUESTS, ids=lambda frame: type(frame).__name__)
def test_request_survives_the_wire(frame: Frame) -> None:
    assert codec.decode_request(codec.encode(frame)) == frame


@pytest.mark.parametrize("frame", REPLIES, ids=lambda frame: type(frame).__name__)
def test_reply_survives_the_wire(frame: Frame) -> None:
    assert codec.decode_reply(codec.encode(frame)) == frame


@given(parts=st.lists(st.binary(max_size=60), max_size=4))
def test_decode_refuses_any_garbage(parts: list[bytes]) -> None:
    with pytest.raises(errors.ProtocolError):
        codec.decode_request(parts)


@given(cut=st.integers(0, 200), frame=st.sampled_from(REQUESTS))
def test_decode_refuses_a_truncated_frame(cut: int, frame: Frame) -> None:
    tag, body = codec.encode(frame)

    with pytest.raises(errors.ProtocolError):
        codec.decode_request([tag, body[: min(cut, len(body) - 1)]])


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param([b"corpus/0", codec.encode(REQUESTS[0])[1]], id="older version"),
        pytest.param([b"corpus/99", codec.encode(REQUESTS[0])[1]], id="newer version"),
        pytest.param(codec.encode(REPLIES[0]), id="a reply is no request"),
        pytest.param([PROTOCOL_TAG, b"\x00" * (codec.MAX_FRAME_BYTES + 1)], id="too large"),
        pytest.param([PROTOCOL_TAG, b"\x91" * 100_000], id="nested beyond reason"),
        pytest.param(
            [PROTOCOL_TAG, msgspec.msgpack.encode({"type": "describe", "request_id": "1"})],
            id="a field of another type",
        ),
    ],
)
def test_decode_refuses_what_is_no_request_of_this_version(parts: list[bytes]) -> None:
    with pytest.raises(errors.ProtocolError):
        codec.decode_request(parts)


@pytest.mark.parametrize("error", list(errors.walk()), ids=lambda error: error.code)
def test_error_keeps_its_class_and_message_over_the_wire(error: type[errors.CorpusError]) -> None:
    sent = codec.encode(codec.error_reply(7, error("what went wrong")))

    reply = codec.decode_reply(sent)

    assert isinstance(reply, ErrorReply)
    assert reply.request_id == 7
    received = codec.to_error(reply)
    assert type(received) is error
    assert str(received) == "what went wrong"


def test_section_not_found_keeps_its_facts_over_the_wire() -> None:
    error = errors.SectionNotFound("m", missing=["x"], available=[("", "Lead"), ("a", "A")])

    reply = codec.decode_reply(codec.encode(codec.error_reply(1, error)))

    assert isinstance(reply, ErrorReply)
    received = codec.to_error(reply)
    assert isinstance(received, errors.SectionNotFound)
    assert received.missing == ("x",)
    assert received.available == (("", "Lead"), ("a", "A"))


def test_unknown_error_code_is_a_shard_fault() -> None:
    error = codec.to_error(ErrorReply(request_id=1, code="from the future", message="m"))

    assert isinstance(error, errors.ShardFault)
