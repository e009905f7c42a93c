"""Parsed documents that are likely to be asked for again: the fetch after a search is warm."""

from collections import OrderedDict

from shard.document import Document


class DocumentCache:
    """The documents used last, as many as fit into ``capacity`` bytes by their own estimate.

    A document that alone is larger is not kept.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._documents: OrderedDict[str, tuple[Document, int]] = OrderedDict()
        self._used = 0

    def __len__(self) -> int:
        return len(self._documents)

    @property
    def used(self) -> int:
        """Bytes of all documents kept."""
        return self._used

    def get(self, path: str) -> Document | None:
        """Return the document of ``path`` and count it as used; None if it is not kept."""
        kept = self._documents.get(path)
        if kept is None:
            return None
        self._documents.move_to_end(path)
        return kept[0]

    def put(self, path: str, document: Document) -> None:
        """Keep ``document``, and drop the ones used longest ago until all fit."""
        self._forget(path)
        size = document.size
        if size > self._capacity:
            return
        self._documents[path] = (document, size)
        self._used += size
        while self._used > self._capacity:
            self._forget(next(iter(self._documents)))

    def _forget(self, path: str) -> None:
        _, size = self._documents.pop(path, (None, 0))
        self._used -= size
