"""Question pages and the lists around them, as sotoki 3.1 writes them.

A source is a ``<question id score user asked views tags>`` with an ``h1`` and HTML, then any number
of ``<answer id score user asked accepted>``; each may end with ``<comment id score user asked>``
elements. Dates are ISO; tags are separated by spaces.
"""

from collections.abc import Iterable
from datetime import date
from html import escape
from typing import NamedTuple

from lxml import etree

from common.errors import ConfigError
from shard.scrapers.contents import Entry, Redirect
from shard.scrapers.source import Folder, Source, User, inner_html, plain_text, up


class _Thread(NamedTuple):
    """A source and what the lists say of it."""

    path: str
    title: str
    score: str
    tags: list[str]
    question: etree._Element
    answers: list[etree._Element]


def pages(folder: Folder) -> tuple[list[Entry], list[Redirect]]:
    """Return the questions, their lists by votes and by tag, the tags, the users, about."""
    threads = [_thread(source) for source in folder.sources()]
    questions = [
        Entry(thread.path, thread.title, _question_page(folder, thread)) for thread in threads
    ]
    tags = sorted({tag for thread in threads for tag in thread.tags})
    lists = [
        _list(folder, "questions", "Highest Voted Questions", threads),
        *(
            _list(
                folder,
                f"questions/tagged/{tag}",
                f"Highest Voted '{tag}' Questions",
                [thread for thread in threads if tag in thread.tags],
            )
            for tag in tags
        ),
    ]
    style = Entry("static/css/sotoki.css", "", "body { margin: 0 }\n", "text/css", front=False)
    return [*questions, *lists, *_people(folder), _tags(folder, tags), style], _aliases(threads)


def _thread(source: Source) -> _Thread:
    question = source.body.find("question")
    if question is None:
        raise ConfigError(f"{source.path}.html: expected a <question>, got none")
    for post in source.body.iter("question", "answer", "comment"):
        _check(post, source.path)
    return _Thread(
        path=f"questions/{question.get('id')}/{source.path}",
        title=source.title,
        score=question.get("score", "0"),
        tags=question.get("tags", "").split(),
        question=question,
        answers=source.body.findall("answer"),
    )


def _check(post: etree._Element, path: str) -> None:
    for name, read in (("id", int), ("score", int), ("asked", date.fromisoformat)):
        value = post.get(name, "")
        try:
            read(value)
        except ValueError:
            raise ConfigError(
                f"{path}.html: {post.tag}: {name}: expected "
                f"{'a date' if name == 'asked' else 'an integer'}, got {value!r}"
            ) from None


def _aliases(threads: Iterable[_Thread]) -> list[Redirect]:
    aliases = []
    for thread in threads:
        short = thread.path.rpartition("/")[0]
        aliases.append(Redirect(short, short, thread.path))
        for answer in thread.answers:
            path = f"a/{answer.get('id')}"
            aliases.append(Redirect(path, path, thread.path))
    return aliases


def _shell(folder: Folder, path: str, title: str, content: str) -> str:
    return folder.fill(
        "",
        title=title,
        site=escape(folder.plan.metadata.get("Title", "")),
        up=up(path),
        content=content,
    )


def _question_page(folder: Folder, thread: _Thread) -> str:
    ordered = sorted(thread.answers, key=lambda answer: -int(answer.get("score", "0")))
    asked = thread.question.get("asked", "")
    content = folder.fill(
        "question",
        title=thread.title,
        path=thread.path,
        id=thread.question.get("id", ""),
        owner=str(_user(folder, thread.question).id),
        score=thread.score,
        asked=asked,
        asked_text=_day(asked),
        views=thread.question.get("views", "1"),
        count=str(len(ordered)),
        post=_post(folder, thread.question, "asked", thread.tags),
        answers="".join(_answer(folder, answer) for answer in ordered),
    )
    return _shell(folder, thread.path, thread.title, content)


def _answer(folder: Folder, answer: etree._Element) -> str:
    accepted = answer.get("accepted") is not None
    return folder.fill(
        "answer",
        id=answer.get("id", ""),
        owner=str(_user(folder, answer).id),
        score=answer.get("score", "0"),
        state="accepted-answer" if accepted else "",
        property="acceptedAnswer" if accepted else "suggestedAnswer",
        post=_post(folder, answer, "answered", []),
    )


def _post(folder: Folder, post: etree._Element, verb: str, tags: list[str]) -> str:
    comments = post.findall("comment")
    listed = "".join(_comment(folder, comment) for comment in comments)
    for comment in comments:
        post.remove(comment)
    user = _user(folder, post)
    name = escape(post.get("user", ""))
    number = post.get("id", "")
    return folder.fill(
        "post",
        id=number,
        score=post.get("score", "0"),
        accepted=folder.fill("accepted") if post.get("accepted") is not None else "",
        body=_highlighted(inner_html(post).strip()),
        tags="".join(folder.fill("tag", tag=escape(tag)) for tag in tags),
        when=f"{verb} {_day(post.get('asked', ''))}",
        user_id=str(user.id),
        user=name,
        reputation=str(user.reputation),
        comments=folder.fill("comments", id=number, listed=listed) if comments else "",
    )


def _comment(folder: Folder, comment: etree._Element) -> str:
    score = comment.get("score", "0")
    return folder.fill(
        "comment",
        id=comment.get("id", ""),
        owner=str(_user(folder, comment).id),
        score=score,
        shown=f'<span title="number of votes" class="warm">{score}</span>' if score != "0" else "",
        text=inner_html(comment),
        user=escape(comment.get("user", "")),
        date=comment.get("asked", ""),
        day=_day(comment.get("asked", "")),
    )


def _highlighted(html: str) -> str:
    return html.replace("<pre><code", '<pre class="s-code-block"><code')


def _user(folder: Folder, post: etree._Element) -> User:
    name = post.get("user", "")
    if name not in folder.plan.users:
        raise ConfigError(f"post {post.get('id')}: user: expected one of the plan, got {name!r}")
    return folder.plan.users[name]


def _list(folder: Folder, path: str, title: str, threads: Iterable[_Thread]) -> Entry:
    ranked = sorted(threads, key=lambda thread: (-int(thread.score), thread.path))
    content = "".join(
        folder.fill(
            "summary",
            title=thread.title,
            path=up(path) + thread.path,
            score=thread.score,
            count=str(len(thread.answers)),
            excerpt=escape(plain_text(thread.question)[:200]),
        )
        for thread in ranked
    )
    return Entry(path, title, _shell(folder, path, title, f'<div id="questions">{content}</div>'))


def _people(folder: Folder) -> list[Entry]:
    entries = []
    for name, user in folder.plan.users.items():
        path = f"users/{user.id}/{name}"
        content = folder.fill(
            "user", user=escape(name), about=escape(user.about), reputation=str(user.reputation)
        )
        entries.append(Entry(path, f"User {name}", _shell(folder, path, f"User {name}", content)))
    links = "".join(
        f'<div class="user-details"><a href="users/{user.id}/{name}">{escape(name)}</a></div>'
        for name, user in folder.plan.users.items()
    )
    about = f"<p>{escape(folder.plan.metadata.get('Description', ''))}</p>"
    return [
        *entries,
        Entry("users", "Users", _shell(folder, "users", "Users", links)),
        Entry("about", "About", _shell(folder, "about", "About", about)),
    ]


def _tags(folder: Folder, tags: Iterable[str]) -> Entry:
    links = "".join(
        f'<a class="post-tag" rel="tag" href="questions/tagged/{tag}">{tag}</a> ' for tag in tags
    )
    return Entry("tags", "Tags", _shell(folder, "tags", "Tags", links))


def _day(text: str) -> str:
    day = date.fromisoformat(text)
    return f"{day:%b} {day.day} '{day:%y} at 09:00"
