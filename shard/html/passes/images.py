"""Images go, what is written under them stays."""

from lxml.html import HtmlElement

from shard.html.dom import Marked, classes, drop, tag_of


def drop_images(root: HtmlElement) -> None:
    """Take out images; captions are text of their own and stay."""
    for element in list(root.iter("img", "picture", "image")):
        drop(element)


def keep_captions_alone(marked: Marked) -> None:
    """Take out what a thumbnail or a gallery shows in place of a missing image: a file name.

    Case: a frame of several images holds its captions rows deep, or a table instead of an image.
    """
    for element in marked.with_class("thumbinner"):
        for child in list(element):
            if tag_of(child) and not _says_something(child):
                drop(child)
        if any("thumbcaption" in classes(child) for child in element):
            element.text = None
    for element in marked.with_class("gallerybox"):
        for child in list(element.iter("div")):
            if "thumb" in classes(child):
                drop(child)
    marked.drop("thumbimage")


def _says_something(element: HtmlElement) -> bool:
    return any(
        child.tag == "table" or "thumbcaption" in classes(child) for child in element.iter("*")
    )


def drop_image_chrome(marked: Marked) -> None:
    """Take out the controls around thumbnails and the players of sound files."""
    marked.drop("magnify", "PopUpMediaTransform", "mediaContainer", "mw-tmh-player")
