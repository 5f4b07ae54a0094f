import math
import threading

import pytest

from jiyi import text as words
from jiyi.errors import InvalidInput
from jiyi.text import MAX_QUERY_TERMS, check_text, cut_point, flat, language, query_terms, terms


def search(docs: list[str], query: str) -> list[int]:
    """Any-term matching ranked by BM25, as the stores do it."""
    indexed = [terms(doc) for doc in docs]
    mean = sum(sum(counts.values()) for counts in indexed) / len(docs)
    scores: dict[int, float] = {}
    for term in query_terms(query):
        matches = {
            at: sum(n for t, n in counts.items() if t == term or (term.endswith("*") and t.startswith(term[:-1])))
            for at, counts in enumerate(indexed)
        }
        matches = {at: n for at, n in matches.items() if n}
        idf = math.log(1 + (len(docs) - len(matches) + 0.5) / (len(matches) + 0.5))
        for at, n in matches.items():
            length = sum(indexed[at].values()) / mean
            scores[at] = scores.get(at, 0.0) + idf * n * 2.2 / (n + 1.2 * (0.25 + 0.75 * length))
    return sorted(scores, key=lambda at: -scores[at])


ENGLISH = [
    "They won't ship without co-pilot notes",
    "Link speed is 5 Mb/s",
    "The F# port takes 40% longer",
    "4000 units shipped",
    "mode:strict flag is on",
    "晚上吃🍜",
    "Only 40 of them came",
]


@pytest.mark.parametrize(
    ("query", "doc"),
    [("won't", 0), ("won’t", 0), ("co-pilot", 0), ("Mb/s", 1), ("F#", 2), ("40%", 2), ("mode:strict", 4), ("🍜", 5)],
)
def test_signs_and_inner_punctuation_find_their_document(query: str, doc: int) -> None:
    assert search(ENGLISH, query) == [doc]


@pytest.mark.parametrize("query", ["", "   ", "-", "*", '""', "_", "\\", "?!", "\n\t", "％", "\ud800"])
def test_queries_without_a_word_have_no_terms(query: str) -> None:
    assert query_terms(query) == []


@pytest.mark.parametrize(
    "query", ['"half open', "bar AND", "NEAR(", "x*y^z", "(rust", "'; DROP TABLE memories;--", "long " * 5000]
)
def test_hostile_queries_are_just_words(query: str) -> None:
    found = query_terms(query)
    assert 0 < len(found) <= MAX_QUERY_TERMS
    assert not any(term.endswith("*") for term in found)


CHINESE = [
    "会上敲定了迁移步骤，周四早上割接",
    "跑完sync-ledger之后37笔对账差异归零",
    "仓库库存表（stock）：SSD 与 交换机",
    "猫粮放在阳台柜子里",
]


@pytest.mark.parametrize(
    ("query", "docs"),
    [
        ("迁移", [0]), ("迁移步骤", [0]), ("割接", [0]), ("差异", [1]), ("ledger", [1]), ("sync-ledger", [1]),
        ("库存", [2]), ("SSD", [2]), ("ＳＳＤ", [2]), ("交换机", [2]), ("猫", [3]), ("飞机", []), ("里", [3]),
    ],
)  # fmt: skip
def test_chinese_queries_find_exactly_their_documents(query: str, docs: list[int]) -> None:
    assert search(CHINESE, query) == docs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C++ and notepad++", {"c++", "c", "notepad++", "notepad"}),
        ("#42", {"#42", "42"}),
        ("a@b.com", {"a@b.com", "com"}),
        ("v1.2.3", {"v1.2.3", "v1"}),
        ("12,480.50", {"12,480.50", "12480.50"}),
        ("KX-20931-07", {"kx-20931-07", "kx", "20931"}),
        ("retry_limit", {"retry_limit", "retri", "limit"}),
        ("It's Caroline's; I'm sure you've seen don't", {"carolin", "sure", "seen", "don't"}),
        ("👍🏽 👩🏽‍🚀❤️🇨🇳🇯🇵1️⃣", {"👍🏽", "👩🏽‍🚀", "❤", "🇨🇳", "🇯🇵", "1⃣"}),
        ("Café STRASSE straße", {"café", "strass"}),
        ("猫粮", {"猫粮", "粮"}),
        ("カラオケ 안녕", {"カラ", "ラオ", "オケ", "ケ", "안녕", "녕"}),
        ("ที่บ้าน हिन्दी Привет مرحبا", {"ที่บ้าน", "हिन्दी", "привет", "مرحبا"}),
        ("$500, ¥500", {"500"}),
        ("把retry从3改成5", {"把", "retri", "从", "3", "改成", "成", "5"}),
    ],
)
def test_index_terms(text: str, expected: set[str]) -> None:
    assert set(terms(text)) == expected


def test_terms_count_occurrences() -> None:
    assert terms("dog dogs Dog's house") == {"dog": 3, "hous": 1}
    assert terms("猫猫猫") == {"猫猫": 2, "猫": 1}


def test_stop_words_go_unless_nothing_else_is_there() -> None:
    assert query_terms("What is the budget for the trip?") == ["budget", "trip"]
    assert query_terms("who are you") == ["who", "are", "you"] == list(terms("Who are you?"))
    assert query_terms("我们的预算是多少") == ["的预", "预算", "算是", "是多"]
    assert query_terms("我们") == ["我们"]
    assert "我们" in terms("我们去北京")
    assert query_terms("的") == ["的*"]


def test_a_number_with_a_sign_asks_for_the_sign() -> None:
    assert query_terms("40%") == ["40%"]
    assert query_terms("40") == ["40"]
    assert {"40", "40%"} <= terms("up by 40%").keys()


def test_long_words_and_many_words_are_capped() -> None:
    assert all(len(term) <= 64 for term in terms("x" * 10_000 + " " + "a-" * 10_000 + "b"))
    assert len(query_terms(" ".join(f"word{i}" for i in range(500)))) == MAX_QUERY_TERMS


def test_a_flood_of_combining_marks_takes_no_time() -> None:
    assert len(terms("a" + "\u0316\u0300" * 200_000)) == 1  # sorting these marks would take minutes


def test_terms_in_many_threads_agree() -> None:
    texts = [f"running {i} runners ran quickly through meeting{i}s" for i in range(300)]
    expected = [terms(text) for text in texts]
    results: list[list[dict[str, int]]] = []
    threads = [threading.Thread(target=lambda: results.append([terms(text) for text in texts])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我下周去上海", "zh"), ("帮我 debug 这个 function", "zh"), ("用 Docker 部署 Postgres", "zh"),
        ("Where do I live?", "en"), ("My name is 李雪 and I live in 上海", "en"), ("", "en"), ("😀 123", "en"),
        ("这个报错是什么意思: " + "connection refused by host " * 5, "zh"),
    ],
)  # fmt: skip
def test_language(text: str, expected: str) -> None:
    assert language(text) == expected


def test_flat() -> None:
    assert flat("  Ｈｅｌｌｏ\n\tWorld ") == "hello world"


@pytest.mark.parametrize(
    ("value", "part"),
    [(None, "NoneType"), (b"x", "bytes"), (3, "int"), ("a\0b", "position 1"), ("ab\ud83d", "U+D83D) at position 2")],
)
def test_check_text_names_the_field_and_the_place(value: object, part: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        check_text("content", value)
    assert caught.value.field == "content"
    assert part in str(caught.value)


def test_check_text_gives_good_text_back() -> None:
    for text in ("", "plain", "中文 👩🏽‍🚀 \u200d \ufffe", "𠮷"):
        assert check_text("content", text) is text


def test_the_advice_of_check_text_works() -> None:
    assert "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16", "replace") == "😀"


@pytest.mark.parametrize(
    "character",
    [
        "👩🏽‍🚀",
        "👨‍👩‍👧‍👦",
        "🇨🇳",
        "e\u0301",
        "\r\n",
        "❤️",
        "1️⃣",
        "한",
        "한",
        "क्षि",
        "ที่",
        "\ud83d\ude00",
        "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
        "葛\U000e0100",
        "が\u3099",
    ],
)
def test_a_character_is_never_parted(character: str) -> None:
    text = "a" + character + "b"
    for index in range(1, len(character) + 1):
        assert cut_point(text, index) == 1
    assert cut_point(text, len(character) + 1) == len(character) + 1
    assert cut_point(character, len(character) - 1) == 0


def test_cut_points_between_flags() -> None:
    flags = "🇨🇳🇯🇵🇰🇷"
    assert [cut_point(flags, index) for index in range(7)] == [0, 0, 2, 2, 4, 4, 6]


def test_cut_point_at_the_ends() -> None:
    assert cut_point("abc", -1) == 0
    assert cut_point("abc", 9) == 3
    assert cut_point("", 0) == 0
    assert cut_point("a\n\u0301", 2) == 2  # nothing combines with a line break


def test_cleared_caches_hold_no_word() -> None:
    terms("my door code is kx-20931-07")
    assert words._stem.cache_info().currsize and words._expand.cache_info().currsize
    words.clear_caches()
    assert words._stem.cache_info().currsize == words._expand.cache_info().currsize == 0
    assert words._local.stemmer.maxCacheSize == 0  # the stemmer's own cannot be cleared
    assert terms("doors") == {"door": 1}
