"""Pages in the markup of each scraper, with its chrome around them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape


def escaped(text: str) -> str:
    """Return ``text`` for the inside of an HTML element or attribute."""
    return escape(text, quote=True)


def article(title: str, body: str) -> str:
    """Return a page as current mwoffliner writes it (Vector 2022)."""
    return f"""<!doctype html>
<html class="client-js" lang="en" dir="ltr"><head><meta charset="UTF-8" />
<title>{escaped(title)}</title>
<link rel="stylesheet" type="text/css" href="./_res_/vector-2022.css" /></head>
<body class="mediawiki ltr ns-0 ns-subject skin-vector action-view">
<div class="mw-page-container"><div class="mw-page-container-inner"><div
class="mw-content-container"><main id="content" class="mw-body">
<header class="mw-body-header vector-page-titlebar"><h1 id="firstHeading"
class="firstHeading mw-first-heading"><span class="mw-page-title-main">{escaped(title)}</span></h1>
</header><a id="top"></a>
<div id="bodyContent" class="vector-body" aria-labelledby="firstHeading">
<div id="contentSub"><div id="mw-content-subtitle"></div></div>
<div id="mw-content-text" class="mw-body-content mw-content-ltr" lang="en" dir="ltr"><div
class="mw-parser-output">{body}</div><!--htdig_noindex--><div><div class="zim-footer">This article
is issued from <a class="external text" href="https://example.org/">Wikipedia</a>. The text is
licensed under Creative Commons.</div></div><!--/htdig_noindex--></div>
</div></main></div></div></div></body></html>
"""


NAVBAR = json.dumps(
    {
        "name": "Burrow",
        "landingHref": "index",
        "licenseHref": "licenses.txt",
        "version": "1.0",
        "children": [
            {
                "name": "Shelter",
                "children": [
                    {"name": "den", "href": "library/den"},
                    {"name": "den.open()", "href": "library/den#den.open"},
                    {"name": "den.close()", "href": "library/den#den.close"},
                ],
            },
            {"name": "Commands", "children": [{"name": "dig()", "href": "command/dig"}]},
        ],
    }
)
"""The symbols of the docset, as devdocs2zim writes them."""


def devdocs_page(path: str, title: str, body: str, *, slug: str = "burrow") -> str:
    """Return a page as devdocs2zim 0.2 writes it."""
    up = "../" * path.count("/")
    return f"""<html class="_theme-default">
<head>
    <meta charset="utf-8">
    <title>{escaped(title)}</title>
    <link rel="stylesheet" type="text/css" href="{up}application.css" />
</head>
<body>
    <div class="_app">
        <devdocs-navbar current="{path}" prefix="{up}"
            listing-src="{up}navbar.json"></devdocs-navbar>
        <div class="_container">
            <main class="_content">
                <div class="_page _{slug}">{body}<div class="_attribution">
  <p class="_attribution-p">
    &copy; 2026 The burrowers<br>Licensed under the BSD License.<br>
    <a href="https://example.org/{path}" class="_attribution-link">https://example.org/{path}</a>
  </p>
</div>
</div>
            </main>
        </div>
    </div>
    <script type="text/javascript" src="{up}assets/index.js"></script>
</body>

</html>"""


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment under a post."""

    id: int
    text: str
    score: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a question; ``body`` is HTML."""

    id: int
    body: str
    score: int = 0
    accepted: bool = False
    comments: Sequence[Comment] = ()


def stack_question(
    number: int,
    title: str,
    body: str,
    *,
    slug: str,
    score: int = 0,
    tags: Sequence[str] = (),
    answers: Sequence[Answer] = (),
    comments: Sequence[Comment] = (),
) -> str:
    """Return a question page as sotoki 3.1 writes it, with its wrong constants and its bad tag."""
    post = _post(number, body, score, comments, tags=tags, verb="asked")
    return stack_shell(
        title,
        f"""
<div id="question-header" class="grid sm:fd-column"><h1 itemprop="name"
class="fs-headline1 ow-break-word"><a href="../../questions/{number}/{slug}"
class="question-hyperlink">{escaped(title)}</a></h1></div>
<div class="grid fw-wrap pb8 mb16 bb bc-black-075">
<div class="grid--cell ws-nowrap mr16 mb8" title="2016-01-12 19:07:53Z"><span
class="fc-light mr2">Asked</span> <time itemprop="dateCreated" datetime="2026-01-28T08:07:19.013"
class="fromnow">Jan 28 '26 at 08:07</time></div>
<div class="grid--cell ws-nowrap mr16 mb8"><span class="fc-light mr2">Active</span> <time
class="fromnow" title="2026-01-28T17:42:51.437" datetime="2026-01-28T17:42:51.437">Jan 28 '26 at
17:42</a></div>
<div class="grid--cell ws-nowrap mb8" title="Viewed 39 times"><span
class="fc-light mr2">Viewed</span> 39 times</div></div>
<div id="mainbar" role="main" aria-label="questions and answers">
<div id="question" class="question" data-questionid="{number}" data-ownerid="7"
data-score="{score}">{post}</div>
<div id="answers"><a name="tab-top"></a><div id="answers-header"><h2 class="mb0"
data-answercount="9">{len(answers)} Answers<span style="display:none;"
itemprop="answerCount">{len(answers)}</span></h2></div>{"".join(map(_answer, answers))}</div>
</div>""",
    )


def _answer(answer: Answer) -> str:
    accepted = "accepted-answer" if answer.accepted else ""
    prop = "acceptedAnswer" if answer.accepted else "suggestedAnswer"
    post = _post(
        answer.id,
        answer.body,
        answer.score,
        answer.comments,
        verb="answered",
        accepted=answer.accepted,
    )
    return f"""<a name="{answer.id}"></a><div id="answer-{answer.id}" class="answer {accepted}"
data-answerid="{answer.id}" data-ownerid="8" data-score="{answer.score}" itemprop="{prop}"
itemscope="" itemtype="https://schema.org/Answer">{post}</div>"""


def _post(
    number: int,
    body: str,
    score: int,
    comments: Sequence[Comment],
    *,
    verb: str,
    tags: Sequence[str] = (),
    accepted: bool = False,
) -> str:
    mark = '<div class="js-accepted-answer-indicator"><svg><path d="m6"></path></svg></div>'
    links = "".join(
        f'<a href="../../questions/tagged/{tag}" class="post-tag js-gps-track" '
        f'title="show questions tagged \'{tag}\'" rel="tag">{tag}</a>'
        for tag in tags
    )
    listed = "".join(map(_comment, comments))
    return f"""<div class="post-layout"><div class="votecell post-layout--left"><div
class="js-voting-container" data-post-id="{number}"><div class="js-vote-count"
itemprop="upvoteCount" data-value="{score}">{score}</div>{mark if accepted else ""}</div></div>
<div class="postcell post-layout--right"><div class="s-prose js-post-body"
itemprop="text">{body}</div><div class="mt24 mb12"><div class="post-taglist">{links}</div></div>
<div class="post-signature owner flex--item"><div class="s-user-card"><time
class="s-user-card--time" datetime="{verb} Jan 28 '26 at 08:07">{verb} Jan 28 '26 at 08:07</time>
<div class="s-user-card--info"><a href="../../users/7/vixen" class="s-user-card--link">vixen</a><ul
class="s-user-card--awards"><li class="s-user-card--rep" title="reputation score">101</li></ul>
</div></div></div></div>
<div class="post-layout--right js-post-comments-component"><div id="comments-{number}"
class="comments"><ul class="comments-list">{listed}</ul></div></div></div>"""


def _comment(comment: Comment) -> str:
    score = f'<span class="warm">{comment.score}</span>' if comment.score else ""
    return f"""<li id="comment-{comment.id}" class="comment" data-comment-id="{comment.id}"
data-comment-owner-id="9" data-comment-score="{comment.score}"><div class="comment-score">{score}
</div><div class="comment-text"><span class="comment-copy">{comment.text}</span> – <a
href="../../users/9/cub" class="comment-user">cub</a> <span class="comment-date"><span
class="relativetime-clean" title="2026-01-29 License: CC BY-SA 4.0">Jan 29 '26</span></span></div>
</li>"""


def stack_shell(title: str, content: str) -> str:
    """Return a page as sotoki 3.1 writes it: its header and navigation around ``content``."""
    return f"""<!DOCTYPE html>
<html class="html__responsive  html__fixed-top-bar"><head><meta charset="utf-8">
<title>{escaped(title)} - Test Stack Exchange</title><meta name="to_root" content="../../" />
<link rel="stylesheet" type="text/css" href="../../static/css/sotoki.css" /></head>
<body class="question-page unified-theme"><header class="s-topbar ps-fixed js-top-bar"><ol
class="s-navigation"><li><a class="s-navigation--item" href="../../questions">Questions</a></li>
<li><a class="s-navigation--item" href="../../users">Users</a></li></ol></header>
<div class="container"><div id="left-sidebar" class="left-sidebar"><nav role="navigation"><ol
class="nav-links"><li><a id="nav-home" href="../../">Home</a></li></ol></nav></div>
<div id="content" class="">{content}</div></div></body></html>
"""


def stack_list(questions: Sequence[tuple[str, str]]) -> str:
    """Return a list of questions (title and path), as of a tag."""
    listed = "".join(
        f'<div class="question-summary"><h3><a href="../../{path}" class="question-hyperlink">'
        f"{escaped(title)}</a></h3></div>"
        for title, path in questions
    )
    return stack_shell("Questions", f'<div id="mainbar"><div id="questions">{listed}</div></div>')


def stack_user(name: str, number: int) -> str:
    """Return the page of a user."""
    return stack_shell(
        f"User {name}",
        f'<div id="user-card" data-userid="{number}"><h1>{escaped(name)}</h1>'
        "<p>I answer questions about foxes and a den.</p></div>",
    )


def site_page(title: str, body: str) -> str:
    """Return a page of a site of no known kind: header, navigation, main, footer."""
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{escaped(title)} | The farm</title>
<style>body {{ color: brown }}</style><script>console.log("moo")</script></head>
<body><header><a href="index.html">The farm</a></header>
<nav><ul><li><a href="index.html">Home</a></li><li><a href="visit%20us.html">Visit us</a></li></ul>
</nav><main><h1>{escaped(title)}</h1>{body}</main>
<footer>Copyright the farmer. All hens reserved.</footer></body></html>
"""
