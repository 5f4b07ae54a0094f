"""Which secrets go, what stays, and that they go wherever something is written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from jiyi.config import load_settings
from jiyi.engine import AsyncMemory
from jiyi.errors import InvalidInput
from jiyi.redaction import KINDS, USUAL, Rules, redacted, redactor
from jiyi.types import Message, Part

FOUND = [
    ("card", "My card is 4111 1111 1111 1111, thanks", "4111"),
    ("card", "4111-1111-1111-1111", "1111"),
    ("card", "4111111111111111", "1111"),
    ("card", "pay with 5555555555554444.", "5555"),
    ("card", "amex 3782 822463 10005", "822463"),
    ("card", "卡号６２２２０２１２３４５６７８９０１２８。", "６２２２"),
    ("card", "银行卡6222021234567890128，建设银行", "6222"),
    ("card", "订单用卡4111111111111111付的", "4111"),
    ("id_number", "身份证号11010519491231002X", "1949"),
    ("id_number", "我的身份证是 110105 19491231 002x。", "1949"),
    ("id_number", "1101051949123100２Ｘ", "1949"),
    ("ssn", "SSN 078-05-1120", "1120"),
    ("ssn", "my social security number is 078051120", "1120"),
    ("iban", "GB82 WEST 1234 5698 7654 32 PLEASE", "WEST"),
    ("iban", "to DE89370400440532013000.", "DE89"),
    ("key", "use sk-proj-abcdefghij1234567890ABCD ok", "abcdefghij"),
    ("key", "AKIAIOSFODNN7EXAMPLE", "AKIA"),
    ("key", "密钥是ghp_16C7e42F292c6912E7710c838347Ae178B4a", "ghp"),
    ("key", "xoxb-123456789012-abcdefABCDEF", "xoxb"),
    ("key", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N", "eyJ"),
    ("key", "Authorization: Bearer abcdef0123456789abcdef", "abcdef"),
    ("key", "API_KEY=0123456789abcdefABCDEF", "0123"),
    ("private_key", "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----\nthat's it", "MII"),
    ("private_key", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb", "b3B"),
    ("password", "my password is hunter2.", "hunter"),
    ("password", "My password is swordfish, ok?", "swordfish"),
    ("password", "Password: correct-horse", "horse"),
    ("password", "the passcode is 'open sesame'", "sesame"),
    ("password", '{"password": "hunter2", "a": 1}', "hunter"),
    ("password", "密码是abc123，别告诉别人", "abc"),
    ("password", "密码：Qwerty!9", "Qwerty"),
    ("password", "密码改成１２３４５６了", "１２３"),
    ("password", "口令是芝麻开门", "芝麻"),
    ("password", "PIN: 4417", "4417"),
    ("password", "CVV 123", "123"),
    ("password", "my password is: hunter2", "hunter"),
    ("password", "密码是：123456", "123"),
    ("password", "密码设置为qwerty1", "qwerty"),
    ("password", "验证码是：123456", "123"),
    ("password", "DB_PASSWORD=hunter2", "hunter"),
    ("password", '"password": "a\\"bcd"', "bcd"),
    ("key", "OPENAI_API_KEY=abcd1234abcd1234", "abcd"),
    ("key", "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJal"),
    ("key", "the api key is: abcdefghijklmnop1234", "abcd"),
    ("key", "密钥是：abcdefghijklmnop1234", "abcd"),
    ("password", "postgres://ada:s3cret@host/db", "s3cret"),
]

KEPT = [
    "order number 4111111111111111",
    "订单号：4111111111111111",
    "Your order 4111111111111111 has shipped",
    "4111111111111112",
    "1234567890123456",
    "13800138000 or +86 138 0013 8000 or (555) 123-4567 or +491511234567890",
    "at 1700000000123, 1700000000123456789, 20241231103045123, 2024-12-31 10:30:45.123456",
    "550e8400-e29b-41d4-a716-446655440000 and 12345678-1234-1234-1234-123456789012",
    "ISBN 978-0-306-40615-7, ISBN 9780306406157, 7-111-54742-6",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709 d41d8cd98f00b204e9800998ecf8427e",
    "3.14159265358979 and 0.4111111111111111 and 10.1000/4111111111111111",
    "110105194912310021",
    "430621200302291234",
    "快递单号 SF1234567890123，运费12.50元，2024年12月31日到",
    "GB00 WEST 1234 5698 7654 32",
    "Meet in ROOM 1234 5678 at 10",
    "the password is wrong, and my password was changed",
    "Password required. password: ********. What is the password?",
    "I forgot my password",
    "密码是什么？密码是错的。口令是什么来着？我忘了密码",
    "task-force-4-something-long-enough-1234 desk-abcdefghij1234567890",
    "sk-learn is a library; Bearer of bad news that everybody knows",
    "pin it on the wall; 3 pins; the token is expired",
    "http://localhost:8080/a@b and ada@example.org",
    "123-456-7890 and 000-12-3456 and 1234-56-7890",
    "我今年35岁，身高175，体重60公斤，电话打不通",
    "三点一四一五九二六",
]


@pytest.mark.parametrize(("kind", "text", "secret"), FOUND)
def test_a_secret_goes_and_its_kind_is_said(kind: str, text: str, secret: str) -> None:
    cleaned, found = Rules().redact(text)
    assert found == {kind: 1}
    assert secret not in cleaned
    assert "[redacted: " in cleaned or "[已隐去：" in cleaned
    assert Rules().redact(cleaned) == (cleaned, {})


@pytest.mark.parametrize("text", KEPT)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert Rules().redact(text) == (text, {})


def test_the_mark_is_in_the_language_of_the_text() -> None:
    assert Rules().redact("card 4111111111111111")[0] == "card [redacted: card]"
    assert Rules().redact("我的卡是4111111111111111。")[0] == "我的卡是[已隐去：银行卡号]。"


def test_several_at_once() -> None:
    text = "4111111111111111, 5555555555554444, password: hunter2; SSN 078-05-1120."
    assert Rules().redact(text)[1] == {"card": 2, "password": 1, "ssn": 1}


def test_phone_numbers_only_when_asked_for() -> None:
    for text in ("13800138000", "+86 138 0013 8000", "(555) 123-4567", "我的手机是138-0013-8000。", "+44 20 7946 0958"):
        assert Rules().redact(text)[1] == {}
        assert Rules(["phone"]).redact(text)[1] == {"phone": 1}, text
    assert Rules(["phone"]).redact("4111111111111111 and 20241231103045")[1] == {}


def test_what_the_option_means() -> None:
    for off in (None, False, "", "off", "false", "0"):
        assert redactor(off) is None
    for on in (True, "on", "ON", "1", "true"):
        made = redactor(on)
        assert isinstance(made, Rules) and made.kinds == USUAL
    chosen = redactor("card, phone")
    assert isinstance(chosen, Rules) and chosen.kinds == ("card", "phone")
    assert isinstance(redactor(["iban"]), Rules)
    for wrong in ("cards", ["card", "x"], 3, object()):
        with pytest.raises(InvalidInput, match="redact"):
            redactor(wrong)  # type: ignore[arg-type]
    assert load_settings({"JIYI_REDACT": "card"}, ()).redact == "card"
    assert set(USUAL) < set(KINDS)


CARD = "my card is 4111 1111 1111 1111"


async def test_everything_that_is_written_goes_through(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    async with await AsyncMemory.open(path, embedder=None, redact=True) as memory:
        chat = memory.session("s", user_id="ada")
        message = await chat.add("user", CARD, name="card 4111111111111111", metadata={"channel": "web"})
        assert message.text == "my card is [redacted: card]" and message.name == "card [redacted: card]"
        assert message.metadata == {"channel": "web", "redacted": {"card": 2}}
        parts = [
            {"type": "text", "text": CARD},
            {"type": "image_url", "image_url": {"url": "https://a/4111111111111111"}},
        ]
        message = await chat.add("user", parts)
        assert message.content == ({"type": "text", "text": "my card is [redacted: card]"}, parts[1])
        calls = [
            {
                "id": "c1",
                "name": "login",
                "arguments": {"password": "hunter2", "card": 4111111111111111, "n": 3, "deep": [{"pwd": "x y z"}]},
            },
            {"id": "c2", "type": "function", "function": {"name": "pay", "arguments": '{"card": "4111111111111111"}'}},
            {"id": "c3", "name": "find", "arguments": {"order_id": "4111111111111111", "order": 4111111111111111}},
        ]
        message = await chat.add("assistant", None, tool_calls=calls)
        assert "hunter2" not in str(message.tool_calls[0]) and "4111" not in str(message.tool_calls[:2])
        assert message.tool_calls[0]["arguments"]["n"] == 3  # type: ignore[index,call-overload]
        assert message.tool_calls[2] == calls[2]
        await chat.add("tool", "password: hunter2", tool_call_id="c1")
        statement = await memory.remember("My password is hunter2", user_id="ada")
        assert statement.metadata["redacted"] == {"password": 1}
        await memory.drain()
    raw = b"".join(file.read_bytes() for file in tmp_path.iterdir())  # noqa: ASYNC240
    assert b"hunter2" not in raw and b"1111 1111" not in raw


async def test_off_by_default() -> None:
    async with await AsyncMemory.open("memory:", embedder=None) as memory:
        message = await memory.session("s", user_id="ada").add("user", CARD)
        assert message.text == CARD and not message.metadata


async def test_a_history_that_is_sent_again_is_recognised() -> None:
    async with await AsyncMemory.open("memory:", embedder=None, redact=True) as memory:
        chat = memory.session("s", user_id="ada")
        history = [{"role": "user", "content": CARD}, {"role": "assistant", "content": "Thanks, I will not keep it."}]
        assert len((await chat.sync(history)).added) == 2
        history.append({"role": "user", "content": "密码是abc123"})
        again = await chat.sync(history)
        assert (again.known, len(again.added), again.branched) == (2, 1, False)
        assert again.added[0].metadata == {"redacted": {"password": 1}}
        told = [{"role": message.role, "content": message.text} for message in await chat.messages()]
        assert (await chat.sync(told)).added == (), "and so is what we gave out"


async def test_off_the_record_too() -> None:
    async with await AsyncMemory.open("memory:", embedder=None, redact=["card"]) as memory:
        chat = memory.session(user_id="ada", off_record=True)
        assert (await chat.add("user", CARD)).text == "my card is [redacted: card]"
        assert "4111" not in str((await chat.context()).messages)


async def test_the_same_message_id_again_stores_nothing() -> None:
    async with await AsyncMemory.open("memory:", embedder=None, redact=True) as memory:
        chat = memory.session("s", user_id="ada")
        first = await chat.add("user", CARD, message_id="m1")
        assert await chat.add("user", CARD, message_id="m1") == first


async def test_a_redactor_of_ones_own() -> None:
    class Names:
        def redact(self, text: str) -> tuple[str, Mapping[str, int]]:
            count = text.count("Ada")
            return text.replace("Ada", "[a person]"), {"person": count} if count else {}

    async with await AsyncMemory.open("memory:", embedder=None, redact=Names()) as memory:
        message = await memory.session("s", user_id="ada").add("user", "Ada and Ada")
        assert message.text == "[a person] and [a person]"
        assert message.metadata == {"redacted": {"person": 2}}
    with pytest.raises(InvalidInput, match="redact"):
        await AsyncMemory.open("memory:", embedder=None, redact="everything")


@pytest.mark.parametrize("as_text", [True, False])
@pytest.mark.parametrize("key", ["password", "db_password", "pin"])
@pytest.mark.parametrize("secret", ["hunter2", 123456, "correct horse battery", 'a"b\\c', "it's me"])
def test_arguments_of_calls_stay_json_and_keep_nothing_of_a_password(
    as_text: bool, key: str, secret: str | int
) -> None:
    if key == "pin" and isinstance(secret, str):
        return
    given = {key: secret, "n": 3, "note": "it is fine", "inner": json.dumps({key: secret})}
    call = {"id": "c", "function": {"name": "f", "arguments": json.dumps(given) if as_text else given}}
    by = redactor(True)
    assert by is not None
    (cleaned,) = redacted(Message("m", "s", "assistant", None, tool_calls=(cast("Part", call),)), by).tool_calls
    arguments = cast("dict[str, Any]", cleaned["function"])["arguments"]
    found = json.loads(arguments) if as_text else arguments
    assert found[key] == "[redacted: password]" and found["n"] == 3 and found["note"] == "it is fine"
    assert json.loads(found["inner"]) == {key: "[redacted: password]"}


def test_arguments_without_a_secret_stay_as_they_were_written() -> None:
    call = {"id": "c", "function": {"name": "f", "arguments": '{ "a" : 1,"b":"x" }'}}
    by = redactor(True)
    assert by is not None
    message = Message("m", "s", "assistant", None, tool_calls=(cast("Part", call),))
    assert redacted(message, by) is message
