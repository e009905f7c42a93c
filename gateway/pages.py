"""The pages beside MCP: health, readiness, status, metrics, and why a search came out so."""

import os
from collections.abc import Iterable
from html import escape
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from common.errors import CorpusError, InvalidArguments, RequestError
from common.settings import Settings
from gateway.explain import explanation
from gateway.failures import failure
from gateway.membership import State
from gateway.metrics import CONTENT_TYPE, Metrics
from gateway.pool import Pool
from gateway.replica import Replica
from gateway.root import Root
from gateway.shard import Shard


class Pages:
    """Shows what a pool is like at the moment, and how its searches come out."""

    def __init__(self, pool: Pool, metrics: Metrics, root: Root, settings: Settings) -> None:
        self._pool = pool
        self._metrics = metrics
        self._root = root
        self._settings = settings

    def routes(self) -> list[Route]:
        """Return the routes, for the application that serves MCP."""
        return [
            Route("/healthz", self.health),
            Route("/readyz", self.readiness),
            Route("/status", self.status),
            Route("/explain", self.explain),
            Route("/metrics", self.metrics),
            Route("/", self.front),
        ]

    async def health(self, _request: Request) -> Response:
        """Tell that the process serves requests at all."""
        return PlainTextResponse("ok\n")

    async def readiness(self, _request: Request) -> Response:
        """Tell whether calls are welcome: 200 when ready or degraded, else 503."""
        phase = self._pool.phase
        serves = phase in ("ready", "degraded") and bool(self._pool.ready())
        body: dict[str, Any] = {"status": phase if serves or phase != "degraded" else "unavailable"}
        if phase != "ready":
            body["libraries"] = self._pool.missing()
        return JSONResponse(body, status_code=200 if serves else 503)

    async def status(self, _request: Request) -> Response:
        """Tell everything an operator asks for."""
        return JSONResponse(self._status())

    async def explain(self, request: Request) -> Response:
        """Tell what is known of each hit of a search: ``query``, and ``limit`` if wanted."""
        asked = request.query_params
        try:
            limit = _limit(asked.get("limit", ""), self._settings)
            search = await self._root.explain(asked.get("query", ""), limit)
        except CorpusError as exc:
            return _failed(exc)
        body = msgspec.json.encode(explanation(search))
        return Response(body, media_type="application/json")

    async def metrics(self, _request: Request) -> Response:
        """Return the metrics in Prometheus' format."""
        self._measure()
        return Response(self._metrics.render(), media_type=CONTENT_TYPE)

    async def front(self, _request: Request) -> Response:
        """Show the libraries to a person."""
        return HTMLResponse(_page(self._status()))

    def _status(self) -> dict[str, Any]:
        return {
            "state": self._pool.phase,
            "pid": os.getpid(),
            "calls": self._metrics.count_calls(),
            "manifest": self._pool.digest,
            "libraries": [self._library(shard) for shard in self._pool.named.values()],
        }

    def _library(self, shard: Shard) -> dict[str, Any]:
        identity = shard.identity
        replicas = [_replica(replica) for replica in shard.replicas.values()]
        return {
            "name": shard.name,
            "slug": shard.library.slug,
            "state": shard.state,
            "searched": shard.name in self._pool.shards,
            "error": "" if shard.ready else self._pool.why_none(shard) or _errors(replicas),
            "index": identity.index if identity else "",
            "index_reason": identity.index_reason if identity else "",
            "adapter": identity.adapter if identity else shard.library.adapter,
            "kind": identity.kind if identity else "",
            "documents": identity.documents if identity else 0,
            "snapshot": identity.snapshot if identity else "",
            "title": identity.title if identity else "",
            "language": identity.language if identity else "",
            "quarantined": sum(replica["quarantined"] for replica in replicas),
            "replicas": replicas,
        }

    def _measure(self) -> None:
        for library in self._pool.removed:
            self._metrics.forget(library)
        for shard in self._pool.named.values():
            states = [replica.membership.state for replica in shard.replicas.values()]
            for state in State:
                self._metrics.replicas.labels(shard.name, state).set(states.count(state))
            waiting = sum(replica.outstanding for replica in shard.replicas.values())
            self._metrics.outstanding.labels(shard.name).set(waiting)
            garbage = sum(replica.garbage for replica in shard.replicas.values())
            self._metrics.garbage.labels(shard.name).set(garbage)
            self._metrics.breaker_openings.labels(shard.name).inc(shard.take_openings())


def _limit(text: str, settings: Settings) -> int:
    if not text:
        return settings.search_limit
    if not (text.isascii() and text.isdecimal() and int(text[:9]) > 0):
        raise InvalidArguments("limit: expected an integer of at least 1")
    return min(int(text[:9]), settings.search_max_limit)


def _failed(error: CorpusError) -> Response:
    content = failure(error)
    if content is None:
        raise error
    return JSONResponse(content, status_code=400 if isinstance(error, RequestError) else 503)


def _replica(replica: Replica) -> dict[str, Any]:
    described = replica.membership.described
    return {
        "endpoint": replica.endpoint,
        "state": replica.membership.state,
        "pid": described.pid if described else 0,
        "keeper_pid": described.keeper_pid if described else 0,
        "uptime": round(described.uptime, 1) if described else 0.0,
        "restarts": described.restarts if described else 0,
        "memory": described.memory if described else 0,
        "outstanding": replica.outstanding,
        "archive": described.archive if described else "",
        "snapshot": described.snapshot if described else "",
        "protocol": described.protocol if described else 0,
        "quarantined": described.quarantined if described else 0,
        "breaker": replica.breaker.state,
        "error": replica.membership.error,
    }


def _errors(replicas: Iterable[dict[str, Any]]) -> str:
    return "; ".join(sorted({replica["error"] for replica in replicas} - {""}))


def _page(status: dict[str, Any]) -> str:
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in _cells(library)) + "</tr>"
        for library in status["libraries"]
    )
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>corpus-mcp</title>"
        "<style>body{font:16px/1.5 system-ui;margin:2rem}td,th{padding:.2rem 1rem .2rem 0;"
        "text-align:left}</style>"
        f"<h1>corpus-mcp: {escape(status['state'])}</h1>"
        "<p>The MCP endpoint is <code>/mcp</code>; details are at <a href=/status>/status</a>.</p>"
        "<table><tr><th>library<th>state<th>title<th>snapshot<th>documents<th>index<th></tr>"
        f"{rows}</table></html>\n"
    )


def _cells(library: dict[str, Any]) -> list[Any]:
    columns = ("name", "state", "title", "snapshot", "documents", "index", "error")
    return [library[key] for key in columns]
