from __future__ import annotations

import base64
import json
from datetime import UTC, datetime

import pytest

from jiyi import intake
from jiyi.errors import InvalidInput

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def field_of(call: object, *args: object, **kwargs: object) -> str:
    with pytest.raises(InvalidInput) as caught:
        call(*args, **kwargs)  # type: ignore[operator]
    return caught.value.field


@pytest.mark.parametrize("bad", ["", "   ", None, {}, [], 7, b"ada", " ada", "ada\n", "a\x00b", "a\ud800", "x" * 513])
def test_an_odd_id_is_refused_and_named(bad: object) -> None:
    assert field_of(intake.identifier, "user_id", bad) == "user_id"


@pytest.mark.parametrize("good", ["ada", "小李", "../../etc/passwd", "s1;rm -rf", "con", "😀", "null", "a b", "acct%"])
def test_any_other_text_is_an_id(good: str) -> None:
    assert intake.identifier("user_id", good) == good


@pytest.mark.parametrize(
    ("role", "content", "details", "field"),
    [
        ("robot", "hi", {}, "role"),
        (None, "hi", {}, "role"),
        ("user", None, {}, "content"),
        ("user", 5, {}, "content"),
        ("user", {"type": "text"}, {}, "content"),
        ("user", [{"text": "no type"}], {}, "content[0].type"),
        ("user", [{"type": "text", "text": "a"}, 5], {}, "content[1]"),
        ("user", [{"type": "text", "text": "a\x00"}], {}, "content[0].text"),
        ("user", "a\x00b", {}, "content"),
        ("user", "half \ud83d an emoji", {}, "content"),
        ("user", "x" * (5 * 1024 * 1024), {}, "content"),
        ("user", "记" * (2 * 1024 * 1024), {}, "content"),
        ("user", "hi", {"created_at": datetime(2026, 1, 1)}, "created_at"),
        ("user", "hi", {"created_at": "yesterday"}, "created_at"),
        ("user", "hi", {"metadata": [1]}, "metadata"),
        ("user", "hi", {"metadata": {"a": object()}}, "metadata"),
        ("user", "hi", {"metadata": {"a": float("nan")}}, "metadata"),
        ("user", "hi", {"nmae": "Ada"}, "nmae"),
        ("user", "hi", {"message_id": " x "}, "message_id"),
        ("tool", "42", {}, "tool_call_id"),
        ("assistant", None, {"tool_calls": [{"name": "f"}]}, "tool_calls[0].id"),
        ("assistant", None, {"tool_calls": "f()"}, "tool_calls"),
        ("assistant", None, {"tool_calls": [{"id": "1", "function": "f"}]}, "tool_calls[0].function"),
    ],
)
def test_each_wrong_field_is_named(role: object, content: object, details: dict[str, object], field: str) -> None:
    assert field_of(intake.draft, "s", role, content, details, now=NOW) == field


def test_fields_of_a_list_are_named_with_their_place() -> None:
    messages = [{"role": "user", "content": "ok"}, {"role": "user", "content": "x", "created_at": datetime(2026, 1, 1)}]
    assert field_of(intake.given, messages, "s", now=NOW) == "messages[1].created_at"
    assert field_of(intake.given, [{"role": "user", "content": "ok"}, "text"], "s", now=NOW) == "messages[1]"
    assert field_of(intake.given, {"role": "user"}, "s", now=NOW) == "messages"


def test_empty_text_is_a_message() -> None:
    assert intake.draft("s", "user", "", {}, now=NOW).content == ""


def test_an_unknown_time_stays_unknown_and_a_given_one_keeps_its_zone() -> None:
    assert intake.draft("s", "user", "a", {"created_at": None}, now=NOW).created_at is None
    assert intake.draft("s", "user", "a", {}, now=NOW).created_at == NOW


@pytest.mark.parametrize(
    "part",
    [
        lambda data: {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}", "detail": "low"}},
        lambda data: {"type": "input_audio", "input_audio": {"data": data, "format": "wav"}},
        lambda data: {
            "type": "file",
            "file": {"file_data": f"data:application/pdf;base64,{data}", "filename": "a.pdf"},
        },
    ],
)
def test_embedded_files_are_kept_as_references_only(part: object) -> None:
    payload = base64.b64encode(b"not really a picture" * 100).decode()
    message = intake.draft("s", "user", ["look", part(payload)], {}, now=NOW)  # type: ignore[operator]
    written = json.dumps(message.content)
    assert payload[:40] not in written
    assert "sha256=" in written and ";2000;" in written
    assert message.text == "look"


def test_links_to_files_stay_as_they_are() -> None:
    part = {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}}
    assert intake.draft("s", "user", [part], {}, now=NOW).content == (part,)


PICTURE = base64.b64encode(b"not really a picture" * 100).decode()


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image_url", "image_url": f"data:image/png;name=a.png;base64,{PICTURE}"},
        {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE}"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}},
        {"type": "tool_result", "content": [{"type": "image", "source": {"type": "base64", "data": PICTURE}}]},
        {"type": "image", "b64_json": base64.encodebytes(b"not really a picture" * 100).decode()},
        {"type": "video", "data": base64.urlsafe_b64encode(bytes(range(256)) * 8).decode()},
        {"type": "image", "base64": PICTURE, "mime_type": "image/png", "id": "lc_1"},
        {"type": "text-plain", "base64": PICTURE, "mime_type": "text/plain"},
        {"type": "audio", "source_type": "base64", "data": PICTURE, "mime_type": "audio/wav"},
    ],
)
def test_other_forms_of_embedded_files(part: dict[str, object]) -> None:
    kept = intake.draft("s", "user", [part], {}, now=NOW).content
    written = json.dumps(kept)
    assert len(written) < 300 and "sha256=" in written
    assert intake.draft("s", "user", kept, {}, now=NOW).content == kept  # stored again, it stays the same


def test_a_reference_says_what_it_was() -> None:
    part = {"type": "image", "base64": PICTURE, "mime_type": "image/png"}
    odd = {"type": "image", "base64": PICTURE, "mime_type": "a picture; of a cat"}
    claude = {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": PICTURE}}
    written = json.dumps(intake.draft("s", "user", [part, odd, claude], {}, now=NOW).content)
    kinds = ("image/png", "application/octet-stream", "image/jpeg")
    assert all(f"embedded:{kind};2000;sha256=" in written for kind in kinds)


@pytest.mark.parametrize(
    "part",
    [
        {"type": "tool_result", "data": "the budget is 500"},
        {"type": "tool_result", "data": "budget12"},  # its letters alone could be base64
        {"type": "tool_result", "data": f"data:see the picture;base64,{PICTURE}"},
        {"type": "text", "text": f"data:image/png;base64,{PICTURE}"},
        {"type": "image", "alt": {"type": "text", "text": f"data:image/png;base64,{PICTURE}", "data": "budget12"}},
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "budget12"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,no picture, sorry"}},
        {"type": "image_url", "image_url": {"url": "data:image/svg+xml,%3Csvg/%3E"}},
        {"type": "file", "file": {"file_data": "the budget is 500"}},
        {"type": "file", "file": {"file_data": "", "filename": "empty"}},
        {"type": "tool_result", "base64": PICTURE},
    ],
)
def test_what_is_no_embedded_file_stays_word_for_word(part: dict[str, object]) -> None:
    assert intake.draft("s", "user", [part], {}, now=NOW).content == (part,)


def test_what_client_libraries_write_out_is_understood() -> None:
    dumped = {
        "role": "assistant", "content": None, "refusal": None, "annotations": [], "audio": None, "function_call": None,
        "tool_calls": None, "name": None,
    }  # fmt: skip
    message = intake.given([dumped], "s", now=NOW)[0]
    assert message.content is None and message.tool_calls == ()
    refused = intake.given([{**dumped, "refusal": "I cannot"}], "s", now=NOW)[0]
    assert refused.content == ({"type": "refusal", "refusal": "I cannot"},)
    assert field_of(intake.given, [{**dumped, "audio": {"id": "a"}}], "s", now=NOW) == "messages[0].audio"


def test_odd_keys_and_depths_are_named() -> None:
    assert field_of(intake.given, [{"role": "user", "content": "a", 5: 6}], "s", now=NOW) == "messages[0]"
    deep: object = "x"
    for _ in range(100_000):
        deep = [deep]
    assert field_of(intake.draft, "s", "user", "a", {"metadata": {"a": deep}}, now=NOW) == "metadata"


@pytest.mark.parametrize("bad", [-0.1, 1.1, "x", True, float("nan")])
def test_a_share_is_between_0_and_1(bad: object) -> None:
    assert field_of(intake.fraction, "floor", bad) == "floor"


def test_new_ids_differ_and_sort_by_time() -> None:
    ids = [intake.new_id(datetime(2026, 3, 1, 12, second // 60, second % 60, tzinfo=UTC)) for second in range(600)]
    assert sorted(ids) == ids and {len(name) for name in ids} == {22}
    assert len({intake.new_id(NOW) for _ in range(1000)}) == 1000
    assert intake.new_id(datetime(1950, 1, 1, tzinfo=UTC)) and intake.new_id(datetime.max.replace(tzinfo=UTC))
