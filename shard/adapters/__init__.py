"""What each scraper's pages are like: which are content, and where their sections are."""

from shard.adapters.base import Adapter, is_html, is_plain_text
from shard.adapters.select import ADAPTERS, Choice, by_name, choose

__all__ = ["ADAPTERS", "Adapter", "Choice", "by_name", "choose", "is_html", "is_plain_text"]
