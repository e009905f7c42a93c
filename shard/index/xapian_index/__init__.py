"""The embedded Xapian databases, read where they lie: ranked search with scores and counts.

libzim indexes a page's text unaccented and lower-cased, stemmed where Xapian knows the archive's
language, without prefixes or positions; CJK text in n-grams of one and two characters. The title
database keeps titles as they are in value 0, with positions, redirects included.

Nothing outside this package imports xapian.
"""

from shard.index.xapian_index.fulltext import XapianIndex
from shard.index.xapian_index.titles import XapianTitles

__all__ = ["XapianIndex", "XapianTitles"]
