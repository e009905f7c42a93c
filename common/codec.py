"""Frames to bytes and back; the only place that knows the encoding."""

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from common.errors import CorpusError, ProtocolError, SectionNotFound, from_code
from common.frames import PROTOCOL_TAG, ErrorReply, Frame, Reply, Request, SectionEntry

MAX_FRAME_BYTES = 16 * 1024 * 1024
"""Largest frame either side accepts: a whole document of MAX_FETCH_CHARS is far below."""

_T = TypeVar("_T")

_encoder = msgspec.msgpack.Encoder()
_request_decoder: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)
_reply_decoder: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


def encode(frame: Frame) -> list[bytes]:
    """Return the parts of one message."""
    return [PROTOCOL_TAG, _encoder.encode(frame)]


def decode_request(parts: Sequence[bytes]) -> Request:
    """Return the request in ``parts``.

    Raises:
        ProtocolError: Not two parts, another version, too large, or not a request.
    """
    return _decode(parts, _request_decoder)


def decode_reply(parts: Sequence[bytes]) -> Reply:
    """Return the reply in ``parts``.

    Raises:
        ProtocolError: Not two parts, another version, too large, or not a reply.
    """
    return _decode(parts, _reply_decoder)


def error_reply(request_id: int, error: CorpusError) -> ErrorReply:
    """Return ``error`` as it travels."""
    if isinstance(error, SectionNotFound):
        return ErrorReply(
            request_id=request_id,
            code=error.code,
            message=str(error),
            missing=list(error.missing),
            available=[SectionEntry(id=id_, title=title) for id_, title in error.available],
        )
    return ErrorReply(request_id=request_id, code=error.code, message=str(error))


def to_error(reply: ErrorReply) -> CorpusError:
    """Return the error that ``reply`` carries, as an exception of its own class."""
    if reply.code == SectionNotFound.code:
        return SectionNotFound(
            reply.message,
            missing=reply.missing,
            available=[(entry.id, entry.title) for entry in reply.available],
        )
    return from_code(reply.code, reply.message)


def _decode(parts: Sequence[bytes], decoder: msgspec.msgpack.Decoder[_T]) -> _T:
    if len(parts) != 2:
        raise ProtocolError(f"expected 2 parts, got {len(parts)}")
    tag, body = parts
    if tag != PROTOCOL_TAG:
        raise ProtocolError(f"expected protocol {PROTOCOL_TAG!r}, got {tag[:16]!r}")
    if len(body) > MAX_FRAME_BYTES:
        raise ProtocolError(f"expected at most {MAX_FRAME_BYTES} bytes, got {len(body)}")
    try:
        return decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as exc:
        raise ProtocolError(f"undecodable frame: {exc}") from exc
