import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from jiyi import text as words
from jiyi.text import MAX_QUERY_TERMS, MAX_TERM, cut_point, flat, language, query_terms, terms

ALPHABET = "aB9'-#%+,.:/@_* \n中猫的我かカ한éẞ❤️\u200d👍🏽🇨🇳👩🚀\u0301ที่क्ष\r\ud83d\ude00\0"
texts = st.text() | st.text(alphabet=ALPHABET) | st.text(st.characters(exclude_categories=[]))


@given(texts)
def test_terms_never_raise_and_are_well_formed(text: str) -> None:
    found = terms(text)
    assert all(n > 0 for n in found.values())
    for term in found:
        assert 0 < len(term) <= MAX_TERM
        assert not term.endswith("*") and not any(c.isspace() for c in term)
    assert language(text) in ("en", "zh")


@given(texts)
def test_query_terms_are_unique_and_capped(text: str) -> None:
    found = query_terms(text)
    assert len(found) == len(set(found)) <= MAX_QUERY_TERMS
    assert all(0 < len(term) <= MAX_TERM for term in found)
    assert bool(found) == bool(terms(text))


@given(texts.filter(lambda text: len(text) < 60))
def test_a_text_finds_itself(text: str) -> None:
    index, wanted = terms(text), query_terms(text)
    missing = [
        term
        for term in wanted
        if not any(known.startswith(term[:-1]) if term[-1] == "*" else known == term for known in index)
    ]
    # of stop words alone ("A的") the index may lack the English ones
    assert not missing or (len(missing) < len(wanted) and all(term.isascii() for term in missing))


@given(st.text(alphabet="猫狗粮abc 的我"), st.text(alphabet="猫狗粮abc 的我"))
def test_a_run_is_found_inside_a_longer_text(before: str, after: str) -> None:
    index = terms(f"{before}库存{after}")
    assert "库存" in index


@given(texts)
def test_normal_forms_do_not_matter(text: str) -> None:
    assert terms(unicodedata.normalize("NFKC", text)) == terms(text)


@given(texts)
def test_flat_has_single_blanks_only(text: str) -> None:
    result = flat(text)
    assert result == " ".join(result.split())


@given(texts, st.integers(-2, 40))
def test_cut_points_are_largest_and_stable(text: str, index: int) -> None:
    at = cut_point(text, index)
    assert 0 <= at <= max(0, min(index, len(text)))
    assert cut_point(text, at) == at
    for between in range(at + 1, min(index, len(text)) + 1):
        assert cut_point(text, between) == at
    if 0 < at < len(text):
        assert not unicodedata.category(text[at]).startswith("M") or unicodedata.category(text[at - 1]) == "Cc"
        assert not ("\ud800" <= text[at - 1] <= "\udbff" and "\udc00" <= text[at] <= "\udfff")


@given(
    st.lists(st.sampled_from(["a", "中", "👩🏽‍🚀", "🇨🇳", "e\u0301", "\r\n", "❤️", "क्षि", "👨‍👩‍👧‍👦"]), max_size=8),
    st.integers(0, 40),
)
@settings(max_examples=200)
def test_cuts_fall_between_known_characters(characters: list[str], index: int) -> None:
    text = "".join(characters)
    borders = {len("".join(characters[:n])) for n in range(len(characters) + 1)}
    assert cut_point(text, index) == max(border for border in borders if border <= index)


@given(st.text(st.sampled_from("ab09 '._:/@&=\\~+-#,%_!\n"), max_size=40))
def test_plain_ascii_is_cut_like_all_other_text(text: str) -> None:
    assert words._ASCII_TOKEN.findall(text) == words._TOKEN.findall(text)  # pyright: ignore[reportPrivateUsage]
