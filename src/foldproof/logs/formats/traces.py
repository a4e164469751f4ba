"""What the formats of traces share: which spans are one session's, and whose."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from foldproof.logs.draft import Draft
from foldproof.logs.formats import Group
from foldproof.logs.imported import ImportedSession
from foldproof.logs.spans import Span, in_order, spans_in

Teller = Callable[[Draft, Sequence[Span]], None]


def traced_sessions(
    group: Group, tell: Teller, *, session_of: Callable[[Span], str], user_of: Callable[[Span], str]
) -> Iterator[ImportedSession]:
    """The sessions of a group of traces: one a user, so that two who share a session id are never mixed.

    A trace belongs to the user that any of its spans names. The same span twice is read once.
    """
    traces: dict[str, dict[str, Span]] = {}
    name = ""
    for span in group.parts(lambda value: ((found.trace, found) for found in spans_in(value))):
        spans = traces.setdefault(span.trace, {})
        group.tally.repeats += span.id in spans
        spans.setdefault(span.id, span)
        name = name or session_of(span)
    users: dict[str, list[Span]] = {}
    for spans in traces.values():
        user = next((told for span in spans.values() if (told := user_of(span))), "")
        users.setdefault(user, []).extend(spans.values())
    for user, members in users.items():
        draft = Draft(name or group.session, group.tally, user=user)
        tell(draft, in_order(members))
        yield draft.done()
