"""What each family's scraper puts around the inside of a page."""

_WHOLE = (b"<!doctype", b"<html", b"<?xml", b"\xef\xbb\xbf", b"\xff\xfe")

_FRAMES = {
    "mediawiki": """<!doctype html>
<html class="client-js" lang="en" dir="ltr"><head><meta charset="UTF-8" /><title>{title}</title>
<script src="./_res_/script.js"></script></head>
<body class="mediawiki ltr ns-0 ns-subject skin-vector action-view">
<main id="content" class="mw-body"><header class="mw-body-header vector-page-titlebar">
<h1 id="firstHeading" class="firstHeading mw-first-heading"><span
class="mw-page-title-main">{title}</span></h1></header><a id="top"></a>
<div id="bodyContent" class="vector-body"><div id="contentSub"><div
id="mw-content-subtitle"></div></div><div id="mw-content-text" class="mw-body-content"
lang="en" dir="ltr"><div class="mw-parser-output">{body}</div><!--htdig_noindex--><div><div
class="zim-footer">This article is issued from <a class="external text"
href="https://en.wikipedia.org/wiki/?title=X">Wikipedia</a>. The text is licensed under
<a class="external text" href="https://creativecommons.org/licenses/by-sa/3.0/">Creative
Commons</a>.</div></div><!--/htdig_noindex--></div></div></main></body></html>""",
    "devdocs": """<html class="_theme-default"><head><meta charset="utf-8"><title>{title}</title>
<link rel="stylesheet" type="text/css" href="../application.css" /></head><body><div class="_app">
<devdocs-navbar current="library/x" prefix="../" listing-src="../navbar.json"></devdocs-navbar>
<div class="_container"><main class="_content"><div class="_page _python">{body}<div
class="_attribution"><p class="_attribution-p">&copy; 2001 The Authors<br>Licensed under the PSF
License.<br><a href="https://docs.example.org/x.html"
class="_attribution-link">https://docs.example.org/x.html</a></p></div></div></main></div></div>
<script type="text/javascript" src="../assets/index.js"></script></body></html>""",
    "stackexchange": """<!DOCTYPE html>
<html class="html__responsive"><head><meta charset="utf-8">
<title>{title} - Coffee Stack Exchange</title></head>
<body class="question-page unified-theme"><header class="s-topbar"><ol class="s-navigation"><li><a
href="../../questions">Questions</a></li></ol></header><div class="container"><div
id="left-sidebar"><nav role="navigation"><ol><li>Home</li></ol></nav></div><div id="content">
<div id="question-header"><h1 itemprop="name"><a class="question-hyperlink"
href="../../questions/1/x">{title}</a></h1></div><div class="grid"><div class="grid--cell"
title="2016-01-12 19:07:53Z"><span class="fc-light">Asked</span> <time itemprop="dateCreated"
datetime="2018-03-12T17:00:00.000" class="fromnow">Mar 12 '18 at 17:00</time></div><div><span
class="fc-light">Active</span> <time title="2018-03-13T18:37:22.993" class="fromnow">Mar 13</a>
</div><div title="Viewed 1,163 times">Viewed 1,163 times</div></div>
<div id="mainbar" role="main">{body}</div></div></div></body></html>""",
    "generic": """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>
<body>{body}</body></html>""",
}


def framed(family: str, title: str, content: bytes) -> bytes:
    """Return the page of a case: as it is, or with its family's frame around it."""
    if content.lower().startswith(_WHOLE):
        return content
    frame = _FRAMES[family].encode()
    return frame.replace(b"{title}", title.encode()).replace(b"{body}", content.strip())
