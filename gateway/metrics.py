"""The gateway's own counters, in Prometheus' names and units; one registry per gateway."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

CONTENT_TYPE = CONTENT_TYPE_LATEST

_BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20)
"""Seconds: a query takes a few milliseconds, a deadline ends everything at 20 s."""


class Metrics:
    """Everything that `/metrics` shows; libraries are labels, queries never are."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.calls = Counter(
            "corpus_tool_calls",
            "Tool calls answered, by outcome (ok, degraded, or the error).",
            ["tool", "outcome"],
            registry=self.registry,
        )
        self.call_seconds = Histogram(
            "corpus_tool_duration_seconds",
            "Time a tool call took.",
            ["tool"],
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.calls_in_flight = Gauge(
            "corpus_tool_calls_in_flight",
            "Tool calls being answered.",
            registry=self.registry,
        )
        self.cache_requests = Counter(
            "corpus_search_cache_requests",
            "Searches by where the answer was: in the cache (hit), with another search that was"
            " under way (shared), or with the libraries (miss).",
            ["outcome"],
            registry=self.registry,
        )
        self.cache_bytes = Gauge(
            "corpus_search_cache_bytes",
            "Bytes that the answers in the cache take.",
            registry=self.registry,
        )
        self.shard_seconds = Histogram(
            "corpus_shard_request_duration_seconds",
            "Time a replica took to answer one request.",
            ["library", "request"],
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.shard_failures = Counter(
            "corpus_shard_failures",
            "Requests to a library that failed for good, by code.",
            ["library", "code"],
            registry=self.registry,
        )
        self.resends = Counter(
            "corpus_shard_resends",
            "Requests sent again after a drop, an overload or a drain.",
            ["library", "code"],
            registry=self.registry,
        )
        self.hedges = Counter(
            "corpus_shard_hedges",
            "Requests sent to a second replica because the first was slow.",
            ["library"],
            registry=self.registry,
        )
        self.breaker_openings = Counter(
            "corpus_breaker_openings",
            "Times that searches began to leave a replica alone that did not answer them.",
            ["library"],
            registry=self.registry,
        )
        self.replicas = Gauge(
            "corpus_replicas",
            "Replicas of a library by state.",
            ["library", "state"],
            registry=self.registry,
        )
        self.outstanding = Gauge(
            "corpus_shard_outstanding",
            "Requests to a library that wait for an answer.",
            ["library"],
            registry=self.registry,
        )
        self.garbage = Gauge(
            "corpus_garbage_frames",
            "Undecodable replies dropped since the connection was made.",
            ["library"],
            registry=self.registry,
        )

        self._by_library = (
            self.shard_seconds,
            self.shard_failures,
            self.resends,
            self.hedges,
            self.breaker_openings,
            self.replicas,
            self.outstanding,
            self.garbage,
        )

    def count_calls(self) -> dict[str, int]:
        """Return the calls answered so far, by ``tool.outcome``, and ``total``."""
        counted = {
            f"{sample.labels['tool']}.{sample.labels['outcome']}": int(sample.value)
            for family in self.calls.collect()
            for sample in family.samples
            if sample.name.endswith("_total")
        }
        return {"total": sum(counted.values()), **counted}

    def forget(self, library: str) -> None:
        """Drop all that was counted of a library; what comes later is counted from 0."""
        for metric in self._by_library:
            metric.remove_by_labels({"library": library})

    def render(self) -> bytes:
        """Return the exposition text."""
        return generate_latest(self.registry)
