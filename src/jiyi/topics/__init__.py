"""Topics: what was said of one project or subject, kept together over sessions.  Pure.

Two kinds of records carry them.  A *part* (``PART``) is what one message says about one topic; it has no text, and
stands in no prompt.  A *topic* (``TOPIC``) is composed of its newest and most important parts, always by the same rule,
so it makes no difference in which order they came.  ``data`` of a topic:

* ``name``, and ``value``, which stays when a person renames it; ``names``: how it was called, each ``{"name",
  "message", "start", "end", "quote", "seq"}``;
* ``summary``, ``decisions``, ``open``, ``done``: what was said, decided, left open, brought to an end, in order of
  time, each ``{"text", "message", "start", "end", "quote", "at", "seq", "importance", "by"}``;
* ``sessions``: the sessions that spoke of it, the one that did last at the end, each ``{"session", "first", "last",
  "since", "until", "count"}`` with its first and last message, and when these were said;
* ``terms``: index terms that tell it from other topics, the most frequent first; ``count``: messages that speak of it;
* ``by``: ``rules`` or ``model``.

Every message that is named in it is among its sources.
"""

from jiyi.topics.composing import MOST, composed, joined, renamed, united, unsettled
from jiyi.topics.parts import MODEL, RULES, SESSION, WORD, message_of, place_in_log, topic_of_parts
from jiyi.topics.values import (
    KINDS,
    PART,
    TOPIC,
    Content,
    Kind,
    Topic,
    TopicPoint,
    TopicSession,
    Written,
    content_of,
    kept_name,
    kept_point,
    name_of,
    names_of,
    points_of,
    sessions_of,
    topic_id,
    topic_of,
    written_of,
)

__all__ = [
    "KINDS",
    "MODEL",
    "MOST",
    "PART",
    "RULES",
    "SESSION",
    "TOPIC",
    "WORD",
    "Content",
    "Kind",
    "Topic",
    "TopicPoint",
    "TopicSession",
    "Written",
    "composed",
    "content_of",
    "joined",
    "kept_name",
    "kept_point",
    "message_of",
    "name_of",
    "names_of",
    "place_in_log",
    "points_of",
    "renamed",
    "sessions_of",
    "topic_id",
    "topic_of",
    "topic_of_parts",
    "united",
    "unsettled",
    "written_of",
]
