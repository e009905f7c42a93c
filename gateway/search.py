"""What one search came to, with all that was found on the way; and the answer made of it."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from common.errors import DEGRADED_REASONS, CorpusError
from common.frames import DescribeReply, Preview
from gateway.analysis import Analysis
from gateway.answers import Degraded, Hit, SearchAnswer, fit
from gateway.fusion import Candidate
from gateway.ranking import Ranked


class Search(NamedTuple):
    """A search that is over.

    Attributes:
        analysis: The query, corrected if words of it were.
        ranked: The candidates, before their text was read.
        previews: What their text shows, by ref.
        best: The candidates in their final order, at most as many as were asked for.
        described: The libraries that answered, by name.
        failures: Those that did not, and why.
        lasting: Whether the same would come of it again: nothing failed at any step, not even
            one that no library is missing for.
    """

    analysis: Analysis
    ranked: Ranked
    previews: Mapping[str, Preview]
    best: Sequence[Candidate]
    described: Mapping[str, DescribeReply]
    failures: Mapping[str, CorpusError]
    lasting: bool

    def answer(self) -> SearchAnswer:
        """Return what the agent gets."""
        return fit(
            SearchAnswer(
                results=[self._hit(candidate) for candidate in self.best],
                degraded=self.degraded(),
                note=self.ranked.note,
            )
        )

    def degraded(self) -> list[Degraded]:
        """Return which libraries are missing, and why."""
        return [
            Degraded(library=library, reason=DEGRADED_REASONS.get(error.code, "fault"))
            for library, error in self.failures.items()
        ]

    def _hit(self, candidate: Candidate) -> Hit:
        preview, described = self.previews[candidate.ref], self.described[candidate.library]
        return Hit(
            ref=candidate.ref,
            library=candidate.library,
            kind=described.kind,
            title=candidate.title or preview.title,
            snapshot=described.snapshot,
            snippet=preview.snippet,
            relevant_sections=preview.sections[:3],
        )
