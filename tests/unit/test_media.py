"""Files embedded in content parts."""

from __future__ import annotations

import base64

import pytest

from jiyi import Memory
from jiyi.config import Settings
from jiyi.media import in_words, without_files

PICTURE = base64.b64encode(b"not really a picture" * 100).decode()


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}", "detail": "low"}},
        {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE}"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}},
        {"type": "image", "base64": PICTURE, "mime_type": "image/png", "id": "lc_1"},
    ],
)
def test_a_file_that_is_not_kept_is_told_of_in_words(part: dict[str, object]) -> None:
    words = {"type": "text", "text": "[image/png, 2000 B]"}
    assert in_words(without_files(part)) == words  # type: ignore[arg-type]
    nested = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "图"}, part]}
    kept = in_words(without_files(nested))  # type: ignore[arg-type]
    assert kept == {**nested, "content": [{"type": "text", "text": "图"}, words]}


@pytest.mark.parametrize(
    "part",
    [
        {"type": "text", "text": f"embedded:image/png;9;sha256={'0' * 64}"},
        {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}},
        {"type": "image", "file_id": "f1"},
        {"type": "image", "title": "embedded: a cat"},
    ],
)
def test_everything_else_goes_to_the_model_as_it_is(part: dict[str, object]) -> None:
    assert in_words(part) == part  # type: ignore[arg-type]


def test_a_context_holds_no_reference_that_a_model_would_refuse() -> None:
    with Memory.open("memory:", embedder=None, tokenizer="estimate", settings=Settings()) as memory:
        session = memory.session(user_id="小李", session_id="s")
        part = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}}
        stored = session.add("user", [{"type": "text", "text": "这是什么？"}, part])
        (sent,) = session.context().messages
        assert "sha256=" in str(stored.content)
        assert sent["content"] == [
            {"type": "text", "text": "这是什么？"},
            {"type": "text", "text": "[image/png, 2000 B]"},
        ]
