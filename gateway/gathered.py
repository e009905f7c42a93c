"""What came of a scatter, read and put together: pure functions."""

from collections.abc import Iterable, Mapping

from common.errors import CorpusError, Quarantined, ShardFault, ShardUnavailable, Starting
from common.frames import Preview, PreviewReply, QueryReply
from common.refs import format_ref
from gateway.ranking import Ranked
from gateway.scatter import Gathered


def demand_any(gathered: Gathered) -> None:
    """Raise what stands for all failures if there is no answer at all.

    Raises:
        CorpusError: There is none.
    """
    if gathered.answers:
        return
    failures = gathered.failures.values()
    for kind in (Starting, Quarantined):
        if failures and all(isinstance(error, kind) for error in failures):
            raise kind("no library can answer this now")
    raise ShardUnavailable("no library answers at the moment")


def without(found: Gathered, failures: Mapping[str, CorpusError]) -> Gathered:
    """Return ``found`` as if these libraries had never answered."""
    answers = {name: one for name, one in found.answers.items() if name not in failures}
    return Gathered(answers, {**found.failures, **failures})


def joined(libraries: Iterable[str], found: Gathered, again: Gathered) -> Gathered:
    """Return ``found`` with what came of those asked again, in the order of ``libraries``."""
    answers = {**found.answers, **again.answers}
    failures = {**found.failures, **again.failures}
    names = list(libraries)
    return Gathered(
        {name: answers[name] for name in names if name in answers},
        {name: failures[name] for name in names if name in failures and name not in answers},
    )


def previews(read: Gathered) -> dict[str, Preview]:
    """Return the previews that came, by ref."""
    return {
        format_ref(library, preview.path): preview
        for library, answer in read.answers.items()
        if isinstance(answer.reply, PreviewReply)
        for preview in answer.reply.previews
    }


def quarantined(ranked: Ranked, previews: Mapping[str, Preview]) -> dict[str, CorpusError]:
    """Return the libraries of which a page is missing that may not be read."""
    return {
        candidate.library: Quarantined("a page is in quarantine")
        for candidate in ranked.candidates
        if candidate.ref in previews and previews[candidate.ref].quarantined
    }


def incomplete(found: Gathered) -> dict[str, CorpusError]:
    """Return the libraries that answered as far as a damaged index let them."""
    return {
        library: ShardFault("its index is damaged")
        for library, (reply, _) in found.answers.items()
        if isinstance(reply, QueryReply) and not reply.whole
    }
