"""Why a search came out as it did: asked of the gateway, told in a table."""

import http.client
import urllib.error
from typing import Any
from urllib.parse import urlencode

import msgspec
from rich.table import Table
from rich.text import Text

from deploy import page
from deploy.errors import Failed, wrong_token
from deploy.tables import blank

ANSWER_SECONDS = 60.0
"""For a whole search; the gateway's own deadline is far shorter."""


def explain(url: str, token: str, query: str, limit: int | None) -> dict[str, Any]:
    """Return the gateway's explanation of a search.

    Raises:
        Failed: Nobody answers there, or the answer is an error; its message is the gateway's.
    """
    asked = {"query": query} | ({} if limit is None else {"limit": str(limit)})
    try:
        body = page.read(f"{url}/explain?{urlencode(asked)}", token, seconds=ANSWER_SECONDS)
        return msgspec.json.decode(body, type=dict[str, Any])
    except urllib.error.HTTPError as exc:
        with exc:
            if exc.code == http.client.UNAUTHORIZED:
                raise wrong_token(url) from exc
            raise Failed(_complaint(exc)) from exc
    except (OSError, http.client.HTTPException, msgspec.MsgspecError, UnicodeError) as exc:
        raise Failed(f"no explanation from {url}: {exc}") from exc


def head(content: dict[str, Any]) -> list[Text]:
    """Return the lines above the table: the query, and how much each word of it tells."""
    words = ", ".join(f"{one['word']} {one['weight']:.1f}" for one in content["words"])
    lines = [Text(f"query: {content['query']}"), Text(f"words and their weights: {words}")]
    lines.extend(
        Text(f"missing: {library['library']} ({library['reason']})", "yellow")
        for library in content["degraded"]
    )
    if content["note"]:
        lines.append(Text(f"note: {content['note']}", "yellow"))
    return lines if content["hits"] else [*lines, Text("nothing found")]


def hits(content: dict[str, Any]) -> Table:
    """Return one row per hit; the last column tells where it stood in its library, fused, placed.

    ``evidence`` is what the library weighs, ``title`` and ``passage`` are shares of the query.
    """
    rows = blank(
        *("library", "page", "score", "evidence", "words", "title", "passage", "heading", "moved")
    )
    for hit in content["hits"]:
        places = hit["places"]
        rows.add_row(
            Text(hit["library"]),
            Text(hit["title"]),
            f"{hit['fused']:.2f} → {hit['score']:.2f}",
            f"{hit['evidence']:.2f}",
            Text(", ".join(hit["matched"]) or "–"),
            Text(_title(hit["title_evidence"])),
            f"{hit['passage']:.2f}",
            f"{hit['heading']:.2f}",
            f"{places['library']} → {places['fused']} → {places['final']}",
        )
    return rows


def _title(evidence: dict[str, Any]) -> str:
    if evidence["match"] == "title":
        return "is the query"
    if evidence["match"] == "alias":
        return f"redirect {evidence['alias']!r} is the query"
    if evidence["match"] == "content":
        return "has the same words"
    if not evidence["coverage"]:
        return "–"
    return f"covers {evidence['coverage']:.2f}, precision {evidence['precision']:.2f}"


def _complaint(error: urllib.error.HTTPError) -> str:
    try:
        content = msgspec.json.decode(error.read(), type=dict[str, Any])
    except (OSError, msgspec.MsgspecError, UnicodeError):
        return f"the gateway does not explain searches (HTTP {error.code})"
    return f"{content.get('error', 'error')}: {content.get('message', 'no message')}"
