from __future__ import annotations

import unicodedata

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from models.chinese import FIELD_WORDS, words
from models.tokenizer import (
    GRAPHEME_CHARACTERS,
    LABEL_GRAPHEMES,
    MAX_CHARACTERS,
    SLOTS,
    Cut,
    normalize,
    token_id,
    tokenize,
    visible_label,
)

# Any code point at all, surrogates included, and more often the ones that make trouble.
ANY_TEXT = st.text(
    st.one_of(
        st.characters(exclude_categories=()),
        st.sampled_from(
            "我喜欢苹果々〇カなá\u0301\u200b\u200c\u200d\ufe0f👨👩👧🏽🇨🇳🏴\U000e0067'’-_.,1٣ \n\t\u3000\ud83d\ude00"
        ),
    ),
    max_size=60,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我喜欢苹果", "我|喜欢|苹果"),
        ("我 喜欢 苹果", "我|喜欢|苹果"),
        ("I love NLP", "I|love|NLP"),
        ("The animal didn't cross.", "The|animal|didn't|cross|."),
        ("l’été state-of-the-art snake_case", "l’été|state-of-the-art|snake_case"),
        ("3.14 1,000 2024 4th GPT-4", "3.14|1,000|2024|4th|GPT-4"),
        ("Python 3.11我用,好!", "Python|3.11|我|用|,|好|!"),
        ("我用Python写代码", "我|用|Python|写|代码"),
        ("C++、C#和.NET, g++ x++y Java7.0 GPT-3.5.", "C++|、|C#|和|.NET|,|g++|x|+|+|y|Java7.0|GPT-3.5|."),
        ("F1 COVID-19 v1.2.3 3.14.", "F1|COVID-19|v1.2.3|3.14|."),
        ("查询、键和值", "查询|、|键|和|值"),
        ("自注意力机制、多头注意力", "自注意力|机制|、|多头注意力"),
        ("二〇二四年三三两两一一对应", "二〇二四|年|三三两两|一一对应"),
        ("臺灣的學生學習自注意力機制", "臺灣|的|學生|學習|自注意力|機制"),
        ("學而時習之", "學|而|時|習|之"),
        ("词元与詞元", "词元|与|詞元"),
        ("wait... 等等……——好", "wait|...|等等|……|——|好"),
        ("'quoted' a--b", "'|quoted|'|a|-|-|b"),
        ("👨‍👩‍👧👩🏽‍🌾🇨🇳🇺🇸1️⃣❤️", "👨‍👩‍👧|👩🏽‍🌾|🇨🇳|🇺🇸|1️⃣|❤️"),
        ("I❤️NLP", "I|❤️|NLP"),
        ("مرحبا بالعالم، می‌خواهم", "مرحبا|بالعالم|،|می‌خواهم"),
        ("שָׁלוֹם עולם", "שָׁלוֹם|עולם"),
        ("e\u0301té नमस्ते क्\u200dष", "e\u0301té|नमस्ते|क्\u200dष"),
        ("葛󠄀城市", "葛󠄀|城市"),
        ("한국어 문장", "한국어|문장"),
        ("<script>alert(1)</script>", "<|script|>|alert|(|1|)|<|/|script|>"),
        ("$x$ **b** :red[x]", "$|x|$|*|*|b|*|*|:|red|[|x|]"),
        ("a\r\nb\tc\u00a0d\u3000e", "a|b|c|d|e"),
    ],
)
def test_pieces(text: str, expected: str) -> None:
    assert [token.text for token in tokenize(text)] == expected.split("|")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("\ud83d", ["⟨D83D⟩"]),
        ("a\ud83db \ude00", ["a", "⟨D83D⟩", "b", "⟨DE00⟩"]),
        ("a\u200bb", ["a", "⟨200B⟩", "b"]),
        ("\x00 \x07\u202e", ["⟨0000⟩", "⟨0007⟩", "⟨202E⟩"]),
        ("\ufeff\u3164 \u2800 \ue000 \uffff", ["⟨FEFF⟩", "⟨3164⟩", "⟨2800⟩", "⟨E000⟩", "⟨FFFF⟩"]),
        ("abc\u200d", ["abc", "⟨200D⟩"]),
        (" \u0308x", ["◌\u0308", "x"]),
        ("x" * 100, ["x" * (LABEL_GRAPHEMES - 1) + "…"]),
        ("z" + "\u0301" * 1000, ["z" + "\u0301" * (GRAPHEME_CHARACTERS - 1)]),
    ],
)
def test_what_would_not_show_is_named(text: str, labels: list[str]) -> None:
    assert list(tokenize(text).labels) == labels


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("word", "word"),
        ("苹果", "word"),
        ("4th", "word"),
        ("1,000", "number"),
        ("½", "number"),
        ("...", "punctuation"),
        ("。", "punctuation"),
        ("👨‍👩‍👧", "emoji"),
        ("🇨🇳", "emoji"),
        ("1️⃣", "emoji"),
        ("$", "symbol"),
        ("\u0308", "symbol"),
        ("\ud83d", "invisible"),
        ("\u200b", "invisible"),
    ],
)
def test_kinds(text: str, kind: str) -> None:
    (token,) = tokenize(text)
    assert token.kind == kind


@pytest.mark.parametrize("text", ["", " ", "\n\t \r\n", "\u3000\u00a0\u2028\x1c\x85"])
def test_spaces_are_no_tokens(text: str) -> None:
    tokens = tokenize(text)
    assert (len(tokens), tokens.total, tokens.truncated, list(tokens)) == (0, 0, False, [])


@given(ANY_TEXT)
def test_every_token_is_a_piece_of_the_text_and_nothing_but_spaces_is_left_out(text: str) -> None:
    tokens = tokenize(text)
    end = 0
    for token in tokens:
        assert text[token.start : token.end] == token.text != ""
        assert text[end : token.start].strip() == ""  # whatever lies between
        end = token.end
    assert text[end:].strip() == ""
    assert tokens.total == len(tokens)


@given(ANY_TEXT)
def test_labels_are_visible_and_short(text: str) -> None:
    for label in tokenize(text).labels:
        assert label.strip()
        assert len(regex.findall(r"\X", label)) <= LABEL_GRAPHEMES * len("⟨10FFFF⟩")
        assert not any(unicodedata.category(c) in ("Cc", "Cs", "Co", "Zs", "Zl", "Zp") for c in label)
        label.encode()  # can be sent to a page


@given(ANY_TEXT)
def test_ids_are_of_the_word(text: str) -> None:
    tokens = tokenize(text)
    assert tokens.ids == tuple(token_id(token.text) for token in tokens)
    assert all(0 <= number < SLOTS for number in tokens.ids)


def test_ids_never_change() -> None:
    assert tokenize("apple 苹果 \ud83d").ids == (941289, 77372, 523580)


def test_spellings_of_one_word_share_an_id() -> None:
    assert len(set(tokenize("Été été E\u0301TÉ ÉTE\u0301").ids)) == 1
    assert normalize("Straße") == normalize("STRASSE")
    assert token_id("cat") != token_id("cats")


def test_the_limit_keeps_the_first_tokens_and_counts_all() -> None:
    tokens = tokenize("word " * 5000)
    assert (len(tokens), tokens.total, tokens.truncated) == (256, 5000, True)
    assert tokens[-1].end == 256 * 5 - 1
    assert len(tokenize("one two three", limit=2)) == 2
    assert not tokenize("one two", limit=2).truncated


def test_a_text_too_long_to_read_is_cut_and_says_so() -> None:
    tokens = tokenize("a" * (MAX_CHARACTERS + 5))
    assert (len(tokens), tokens.unread, tokens.truncated) == (1, 5, True)
    assert tokens.text == "a" * MAX_CHARACTERS


@pytest.mark.parametrize(
    "unit", ["a", "1", "1.", "a-", "我喜欢", "\u200d", "👨\u200d", "a\u0301", "\ud83d", ".", "\u3164", "\n"]
)
def test_a_megabyte_of_anything_is_answered(unit: str) -> None:
    """In a fraction of a second each; a pattern that backtracks would take hours here."""
    text = unit * (1_000_000 // len(unit))
    assert tokenize(text).unread == len(text) - MAX_CHARACTERS


def test_tokens_can_be_indexed_and_sliced() -> None:
    tokens = tokenize("a b c")
    assert tokens[0].text == "a"
    assert [token.text for token in tokens[1:]] == ["b", "c"]
    assert hash(tokens) == hash(tokenize("a b c"))


def test_visible_label_of_text_that_is_no_token() -> None:
    assert visible_label("a\nb") == "a⟨000A⟩b"
    assert visible_label(" ") == "⟨0020⟩"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我喜欢 AI", "我|喜|欢|A|I"),
        ("didn't", "d|i|d|n|'|t"),
        ("e\u0301👨‍👩‍👧 🇨🇳", "e\u0301|👨‍👩‍👧|🇨🇳"),
        (" \n ", ""),
    ],
)
def test_a_text_cut_into_characters(text: str, expected: str) -> None:
    assert "|".join(token.text for token in tokenize(text, cut="characters")) == expected


@given(ANY_TEXT, st.sampled_from(["words", "characters"]), st.integers(1, 20))
def test_either_cut_covers_the_text_in_order(text: str, cut: Cut, limit: int) -> None:
    """Every character but white space is in exactly one token."""
    tokens = tokenize(text, limit=1_000, cut=cut)
    covered = [place for token in tokens for place in range(token.start, token.end)]
    assert covered == sorted(set(covered))
    assert all(text[place].isspace() for place in set(range(len(text))) - set(covered))
    assert all(token.text == text[token.start : token.end] != "" for token in tokens)
    few = tokenize(text, limit=limit, cut=cut)
    assert few.pieces == tokens.pieces[:limit]
    assert few.total == len(tokens)


@given(st.text(alphabet="我用和键值臺灣的學習自注意力機制〇一二三年乾髮\u0301\ufe00", max_size=30))
def test_words_of_a_run_are_the_run(run: str) -> None:
    assert "".join(words(run)) == run


def test_a_word_of_the_field_is_never_cut() -> None:
    for word in FIELD_WORDS.read_text("utf-8").splitlines():
        if not word.startswith("#"):
            assert list(words(f"的{word}的")) == ["的", word, "的"], word
