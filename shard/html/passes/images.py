"""Images go, what is written under them stays."""

from lxml.html import HtmlElement

from shard.html.dom import Marked, drop


def drop_images(root: HtmlElement) -> None:
    """Take out images; captions are text of their own and stay."""
    for element in list(root.iter("img", "picture", "image")):
        drop(element)


def drop_image_chrome(marked: Marked) -> None:
    """Take out the controls around thumbnails and the players of sound files."""
    marked.drop("magnify", "PopUpMediaTransform", "mediaContainer", "mw-tmh-player")
