"""The two tools as a model sees them: names, descriptions, schemas. They are a public contract.

The output schemas are flat and require nothing: clients validate structured content against them
also when it is an error, and some replace our error by their own if it does not fit.
"""

from typing import Any, NamedTuple


class ToolSpec(NamedTuple):
    """One tool as it is listed."""

    name: str
    title: str
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]


INSTRUCTIONS = (
    "A library of offline reference archives. Use search to find pages, then fetch with a ref "
    "from its results to read one, whole or by section. The texts are local and dated: snapshot "
    "tells the month."
)

_SECTION = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "title": {"type": "string"}},
    "required": ["id", "title"],
}

_FAILURE = {
    "error": {
        "type": "string",
        "description": "Only if the call failed: invalid_query, invalid_arguments, invalid_ref, "
        "not_found, section_not_found, library_unavailable, starting, overloaded, timeout or "
        "internal.",
    },
    "message": {"type": "string", "description": "What went wrong and what to do next."},
    "retryable": {"type": "boolean", "description": "The same call may succeed a little later."},
}


def search_spec(limit: int, most: int) -> ToolSpec:
    """Return the search tool with its default and highest limit."""
    return ToolSpec("search", "Search the library", _SEARCH, _search_input(limit, most), _FOUND)


def fetch_spec() -> ToolSpec:
    """Return the fetch tool."""
    return ToolSpec("fetch", "Read a document", _FETCH, _FETCH_INPUT, _DOCUMENT)


_SEARCH = (
    "Search all archives of the library at once. Write the words the page should contain, or its "
    "title; no operators. Each result has a ref to pass to fetch unchanged, a snippet, and "
    "relevant_sections, whose ids fetch takes, too. degraded names archives that could not answer "
    "this time: their pages may be missing. note says which words were not found or read as others."
)

_FETCH = (
    "Read one document as Markdown. ref comes from search, unchanged. Without sections you get the "
    "whole document up to a size limit; truncated says that something was cut: then ask for "
    "sections. Section ids come from relevant_sections in search results or from "
    "available_sections here; the lead section's id is the empty string. A section comes with its "
    "subsections."
)


def _search_input(limit: int, most: int) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "description": "Words to look for, for example: entanglement detection loophole",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "description": f"Most results to return; {limit} unless given, at most {most}.",
            },
        },
        "required": ["query"],
        "additionalProperties": False,
    }


_FETCH_INPUT = {
    "type": "object",
    "properties": {
        "ref": {"type": "string", "description": "A ref exactly as search returned it."},
        "sections": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Ids of the sections to read; leave out for the whole document.",
        },
    },
    "required": ["ref"],
    "additionalProperties": False,
}

_FOUND = {
    "type": "object",
    "properties": {
        "results": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "ref": {"type": "string", "description": "Pass this to fetch unchanged."},
                    "library": {"type": "string"},
                    "kind": {
                        "type": "string",
                        "enum": ["article", "documentation", "thread", "page"],
                    },
                    "title": {"type": "string"},
                    "snapshot": {"type": "string", "description": "YYYY-MM, or empty."},
                    "snippet": {"type": "string"},
                    "relevant_sections": {"type": "array", "items": _SECTION},
                },
                "required": ["ref", "library", "kind", "title", "snapshot", "snippet"],
            },
        },
        "degraded": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "library": {"type": "string"},
                    "reason": {
                        "type": "string",
                        "enum": [
                            "unavailable",
                            "timeout",
                            "overloaded",
                            "quarantined",
                            "fault",
                            "starting",
                        ],
                    },
                },
                "required": ["library", "reason"],
            },
            "description": "Archives that could not answer; absent if all did.",
        },
        "note": {"type": "string", "description": "What else to know about these results."},
        **_FAILURE,
    },
}

_DOCUMENT = {
    "type": "object",
    "properties": {
        "ref": {"type": "string"},
        "library": {"type": "string"},
        "kind": {"type": "string", "enum": ["article", "documentation", "thread", "page"]},
        "title": {"type": "string"},
        "snapshot": {"type": "string", "description": "YYYY-MM, or empty."},
        "sections": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "title": {"type": "string"},
                    "content": {"type": "string", "description": "Markdown."},
                    "metadata": {
                        "type": "object",
                        "description": "Of a thread's post: score, accepted, tags.",
                    },
                },
                "required": ["id", "title", "content"],
            },
        },
        "available_sections": {
            "type": "array",
            "items": _SECTION,
            "description": "The document's sections, or those there are if one was not found.",
        },
        "more_sections": {
            "type": "integer",
            "description": "Sections that available_sections leaves out; they can be fetched.",
        },
        "truncated": {"type": "boolean", "description": "The size limit cut something off."},
        "missing_sections": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Ids that the document does not have.",
        },
        **_FAILURE,
    },
}
