"""What the agent is told when a call fails: one place, so that nothing internal gets out.

A caller's fault is explained in the words of the error, which were written for the agent. What a
shard did wrong is not: its message may name files, addresses or libraries of code, so the agent
gets a sentence by code, and the log gets the rest.
"""

from typing import Any

from common.errors import AGENT_ERRORS, CorpusError, RequestError, SectionNotFound

_SENTENCES = {
    "library_unavailable": "the library does not answer at the moment; try again in a few seconds",
    "starting": "the library is still starting; try again in a few seconds",
    "overloaded": "too many requests at once; try again in a few seconds",
    "timeout": "no answer in time; try again, or ask for less (a section instead of the document)",
}

_GIVEN_UP = "this request cannot be answered by the library; another query or document can"

_MAX_MESSAGE_CHARS = 2000


def failure(error: CorpusError) -> dict[str, Any] | None:
    """Return the structured content for ``error``; None for one that is an internal error."""
    told = AGENT_ERRORS.get(error.code)
    if told is None or told.error == "internal":
        return None
    if isinstance(error, RequestError):
        message = printable(str(error))
    else:
        message = _SENTENCES[told.error] if told.retryable else _GIVEN_UP
    content: dict[str, Any] = {"error": told.error, "message": message}
    if told.retryable:
        content["retryable"] = True
    if isinstance(error, SectionNotFound):
        content["missing_sections"] = [printable(id_) for id_ in error.missing]
        content["available_sections"] = [{"id": i, "title": title} for i, title in error.available]
    return content


def internal(incident: str) -> dict[str, Any]:
    """Return the structured content for a bug; ``incident`` finds it in the log."""
    return {"error": "internal", "message": f"internal error (id {incident})"}


def printable(text: str) -> str:
    """Return ``text`` as it can be sent: valid UTF-8, of bounded length."""
    clean = text.encode("utf-8", "replace").decode("utf-8")
    return clean if len(clean) <= _MAX_MESSAGE_CHARS else clean[: _MAX_MESSAGE_CHARS - 1] + "…"
