"""Every library in this process: scatter and gather without a network, to measure the ranking.

The leaves are those of the cluster and are asked with its frames, so that a figure measured here
is a figure of the cluster.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from common.deadline import Deadline
from common.frames import (
    ErrorReply,
    Preview,
    PreviewReply,
    PreviewRequest,
    QueryReply,
    QueryRequest,
    Reply,
    Request,
    SpellReply,
    SpellRequest,
    Suggestion,
)
from gateway import ranking
from gateway.analysis import Analysis, analyse
from gateway.correction import choose_all, corrected, others
from gateway.fusion import Candidate
from gateway.ranking import Ranked
from shard.adapters.select import choose
from shard.archive import Archive
from shard.index import open_index
from shard.leaf import Leaf
from shard.symbols import read_symbols

LIGHT_HITS = 30
"""Hits per library, as a gateway asks for."""

BUDGET = 60.0
CACHE_BYTES = 128 * 1024 * 1024


@dataclass(frozen=True)
class Answer:
    """What one search came to."""

    ranked: Ranked
    results: list[Candidate]
    previews: Mapping[str, Preview]


class Library:
    """An open archive behind its leaf."""

    def __init__(self, path: Path, *, bindings: bool = True) -> None:
        archive = Archive(path)
        adapter = choose(archive).adapter
        self.name = path.name
        self.family = f"{adapter.kind}/{archive.language}"
        self._uuid = archive.uuid
        self._index = open_index(archive, bindings=bindings)
        symbols = read_symbols(archive) if adapter.kind == "documentation" else None
        self._leaf = Leaf(
            self.name, archive, self._index, adapter, cache_bytes=CACHE_BYTES, symbols=symbols
        )

    def query(self, analysis: Analysis) -> QueryReply:
        request = QueryRequest(
            request_id=1,
            library=self.name,
            archive=self._uuid,
            budget=BUDGET,
            text=analysis.text,
            words=list(analysis.words),
            limit=LIGHT_HITS,
        )
        reply = self._ask(request)
        assert isinstance(reply, QueryReply), reply
        return reply

    def previews(
        self, paths: Sequence[str], analysis: Analysis, weights: Sequence[float]
    ) -> list[Preview]:
        request = PreviewRequest(
            request_id=1,
            library=self.name,
            archive=self._uuid,
            budget=BUDGET,
            paths=list(paths),
            words=list(analysis.words),
            weights=list(weights),
            text=analysis.text,
        )
        reply = self._ask(request)
        assert isinstance(reply, PreviewReply), reply
        return reply.previews

    def suggestions(self, words: Sequence[str], beside: Sequence[str]) -> list[list[Suggestion]]:
        request = SpellRequest(
            request_id=1,
            library=self.name,
            archive=self._uuid,
            budget=BUDGET,
            words=list(words),
            beside=list(beside),
        )
        reply = self._ask(request)
        assert isinstance(reply, SpellReply), reply
        return reply.suggestions

    def _ask(self, request: Request) -> Reply:
        *_, reply = self._leaf.answer(request, Deadline.after(BUDGET))
        assert reply is not None
        assert not isinstance(reply, ErrorReply), reply
        return reply


class Corpus:
    """All libraries; what was asked once is remembered, so that a ranking can be tried again."""

    def __init__(self, paths: Sequence[Path], *, bindings: bool = True) -> None:
        self.libraries = {path.name: Library(path, bindings=bindings) for path in paths}
        self._families = {name: library.family for name, library in self.libraries.items()}
        self._replies: dict[str, dict[str, QueryReply]] = {}
        self._previews: dict[tuple[str, ...], Preview] = {}

    def search(self, query: str, *, limit: int = 5, max_consecutive: int = 2) -> Answer:
        analysis = analyse(query)
        ranked = self._rank(analysis)
        if ranked.suspects:
            analysis = self._spelt(analysis, ranked.suspects)
            ranked = self._rank(analysis)
        previews = self._read(ranked, analysis)
        results = ranking.results(ranked, previews, limit=limit, max_consecutive=max_consecutive)
        return Answer(ranked, results, previews)

    def _rank(self, analysis: Analysis) -> Ranked:
        return ranking.candidates(self.replies(analysis), analysis, families=self._families)

    def _spelt(self, analysis: Analysis, suspects: Mapping[str, int]) -> Analysis:
        beside = others(analysis, suspects)
        suggested = [one.suggestions(list(suspects), beside) for one in self.libraries.values()]
        return corrected(analysis, choose_all(analysis, suspects, suggested))

    def replies(self, analysis: Analysis) -> dict[str, QueryReply]:
        key = "\0".join((analysis.text, *analysis.words))
        if key not in self._replies:
            self._replies[key] = {
                name: library.query(analysis) for name, library in self.libraries.items()
            }
        return self._replies[key]

    def _read(self, ranked: Ranked, analysis: Analysis) -> dict[str, Preview]:
        waiting: dict[str, list[Candidate]] = defaultdict(list)
        for candidate in ranked.candidates:
            if (candidate.ref, analysis.text) not in self._previews:
                waiting[candidate.library].append(candidate)
        for name, asked in waiting.items():
            paths = [candidate.path for candidate in asked]
            found = self.libraries[name].previews(paths, analysis, ranked.weights)
            for candidate, preview in zip(asked, found, strict=True):
                self._previews[(candidate.ref, analysis.text)] = preview
        return {c.ref: self._previews[(c.ref, analysis.text)] for c in ranked.candidates}
