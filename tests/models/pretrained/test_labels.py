"""Labels of tokens in every scheme, hostile text included."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.pretrained.alignment import align
from models.pretrained.encoding import MAX_CHARACTERS, Encoder
from models.pretrained.labels import UNKNOWN, ModelTokens, label_tokens
from models.pretrained.pieces import bytes_label, glyphs, piece_bytes
from tests.models.pretrained.tokenizers_for_tests import MAKERS, tokenizer_for

BYTE_SCHEMES = ["byte_level", "byte_fallback", "bytes"]
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<b> a<b<c $\\alpha$ *x* &amp; :red[x]",
    "你好 💩 👨‍👩‍👧 🇧🇷 👍🏽",
    "a\n\tb  c\r\nd",
    "e\u0301 ﬁ ½ \u200b \u00a0x",
    "\ud83d \udc69 half",
    "[MASK] </s> <|end|> <unk>",
]


def labelled(scheme: str, text: str, pair: str | None = None, limit: int = 1000) -> ModelTokens:
    encoder = Encoder(tokenizer_for(scheme))
    return label_tokens(encoder, encoder.encode(text, pair, limit=limit))


@pytest.mark.parametrize("scheme", MAKERS)
def test_the_scheme_is_read_off_the_tokenizer(scheme: str) -> None:
    assert Encoder(tokenizer_for(scheme)).scheme == scheme


@pytest.mark.parametrize("scheme", MAKERS)
@pytest.mark.parametrize("text", HOSTILE)
def test_every_token_shows_and_lies_in_its_text(scheme: str, text: str) -> None:
    tokens = labelled(scheme, text)
    for token in tokens.pieces:
        name = token.label.removesuffix(f" {token.part[0]}/{token.part[1]}") if token.part else token.label
        assert name
        assert not set(name) & set("\n\r\t \u200b\u00a0")
    for token in tokens.pieces:
        if token.start is not None and token.end is not None and token.segment is not None:
            assert 0 <= token.start <= token.end <= len(tokens.texts[token.segment])
    assert sorted(index for word in tokens.groups for index in word.tokens) == list(range(len(tokens)))


def test_wordpiece_shows_the_text_as_it_was_typed() -> None:
    tokens = labelled("wordpiece", "UNAFFABLE Fox")
    assert "##" not in "".join(tokens.labels)
    assert "".join(tokens.labels[1:-1]) == "UNAFFABLEFox"
    assert tokens.labels[0] == "[CLS]"
    assert [word.label for word in tokens.groups] == ["[CLS]", "UNAFFABLE", "Fox", "[SEP]"]


def test_unknown_text_is_shown_and_marked() -> None:
    token = labelled("wordpiece", "the 💩").pieces[-2]
    assert (token.label, token.piece, token.unknown, token.special) == ("💩⁇", "[UNK]", True, False)


def test_a_typed_special_token_is_special() -> None:
    tokens = labelled("wordpiece", "the [MASK] fox")
    assert [label for label, special in zip(tokens.labels, tokens.special, strict=True) if special] == [
        "[CLS]",
        "[MASK]",
        "[SEP]",
    ]
    assert labelled("byte_level", "a<|end|>").special[-1]


def test_white_space_is_visible() -> None:
    assert labelled("bytes", "a b\n\t").labels == ("a", "␣", "b", "↵", "⇥", "</s>")
    assert labelled("byte_level", "the fox").labels[0][0] == "t"
    assert "".join(labelled("byte_level", "x  y").labels) == "x␣␣y"
    assert labelled("metaspace", "the").labels[0].startswith("␣")
    assert glyphs("\u200b") == "⟨200B⟩"
    assert glyphs("") == "∅"


@pytest.mark.parametrize("scheme", BYTE_SCHEMES)
@pytest.mark.parametrize("character", ["你", "💩", "👨‍👩‍👧", "e\u0301"])
def test_a_character_of_several_tokens_is_shown_once(scheme: str, character: str) -> None:
    tokens = [token for token in labelled(scheme, f"a {character} b").pieces if token.part]
    count = len(tokens)
    assert count > 1
    assert [token.part for token in tokens] == [(number, count) for number in range(1, count + 1)]
    assert {token.whole for token in tokens} == {character}
    assert tokens[0].label.lstrip("␣") == f"{character} 1/{count}"
    assert [token.label for token in tokens[1:]] == [f"{number}/{count}" for number in range(2, count + 1)]


def test_stray_bytes_are_hex() -> None:
    assert bytes_label(b"ab\xc3") == "ab⟨C3⟩"
    assert bytes_label("é".encode()) == "é"
    assert piece_bytes("<0xE6>", "byte_fallback") == b"\xe6"
    assert piece_bytes("Ġa", "byte_level") == b" a"
    assert piece_bytes("▁a", "metaspace") == b" a"
    assert piece_bytes("##ing", "wordpiece") == b"ing"


@settings(max_examples=60)
@given(text=st.text(max_size=40))
@pytest.mark.parametrize("scheme", ["byte_level", "bytes"])
def test_bytes_rebuild_the_text(scheme: str, text: str) -> None:
    tokens = labelled(scheme, text)
    if any(token.special for token in tokens.pieces[:-1]):
        return
    rebuilt = b"".join(
        piece_bytes(t.piece, Encoder(tokenizer_for(scheme)).scheme) for t in tokens.pieces if not t.special
    )
    assert rebuilt.decode("utf-8") == tokens.texts[0]


@settings(max_examples=60)
@given(text=st.text(max_size=40), pair=st.text(max_size=10))
@pytest.mark.parametrize("scheme", MAKERS)
def test_any_text_can_be_labelled(scheme: str, text: str, pair: str) -> None:
    for tokens in (labelled(scheme, text), labelled("wordpiece", text, pair)):
        assert all(label.strip() for label in tokens.labels)
        assert sorted(index for word in tokens.groups for index in word.tokens) == list(range(len(tokens)))


@pytest.mark.parametrize("scheme", MAKERS)
def test_words_in_every_scheme(scheme: str) -> None:
    tokens = labelled(scheme, "Hello 日本語 👍🏽 naïve fox")
    words = [word.label for word in tokens.groups if not tokens.special[word.tokens[0]]]
    assert [word.removesuffix(UNKNOWN) for word in words] == ["Hello", "日本語", "👍🏽", "naïve", "fox"]


def test_pairs_know_their_sentence() -> None:
    tokens = labelled("wordpiece", "the fox", "quick over")
    sides = [side for side, special in zip(tokens.pair_of, tokens.special, strict=True) if not special]
    assert sides == sorted(sides)
    assert set(sides) == {0, 1}
    assert [word.label for word in tokens.groups] == [
        "[CLS]",
        "the",
        "fox",
        "[SEP]",
        "quick",
        "over",
        "[SEP]",
    ]
    assert labelled("bytes", "ab", "cd").pair_of == (0, 0, None, 1, 1, None)


def test_what_is_cut_is_counted() -> None:
    whole = labelled("wordpiece", "the fox " * 50)
    tokens = labelled("wordpiece", "the fox " * 50, limit=10)
    assert (len(tokens), tokens.cut) == (10, len(whole) - 10)
    assert tokens.labels[-1] == "[SEP]"
    assert whole.cut == 0
    assert labelled("bytes", "x" * 20, limit=20).cut == 1


def test_endless_text_is_not_read_to_the_end() -> None:
    encoder = Encoder(tokenizer_for("bytes"))
    encoded = encoder.encode("x" * (MAX_CHARACTERS + 7), limit=5)
    assert encoded.unread == label_tokens(encoder, encoded).unread == 7
    assert len(encoded.ids) == 5


def test_threads_share_a_tokenizer() -> None:
    encoder = Encoder(tokenizer_for("wordpiece"))
    errors: list[Exception] = []

    def work(limit: int) -> None:
        try:
            for _ in range(60):
                assert len(encoder.encode("the quick fox " * 20, limit=limit).ids) == limit
        except Exception as error:  # the thread would swallow it
            errors.append(error)

    threads = [threading.Thread(target=work, args=(limit,)) for limit in range(5, 13)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_places_are_found_without_offsets() -> None:
    spans, segments = align([b" Ol\xc3\xa1", b"xyz", b" mundo", None], ["Olá,  mundo"], None)
    assert spans == ((0, 3), None, (6, 11), None)
    assert segments == (0, 0, 0, None)


def test_what_a_model_wrote_is_placed_in_its_text() -> None:
    encoder = Encoder(tokenizer_for("metaspace"))
    ids = encoder.encode("the quick fox", limit=50).ids
    tokens = label_tokens(encoder, encoder.written(list(ids)))
    assert [word.label for word in tokens.groups] == ["the", "quick", "fox", "</s>"]


@pytest.mark.parametrize("scheme", ["byte_level", "byte_fallback", "bytes"])
@pytest.mark.parametrize(
    ("character", "name"),
    [("\u3000", "⟨3000⟩"), ("\u202f", "⟨202F⟩"), ("\u2028", "⟨2028⟩"), ("\u200f", "⟨200F⟩")],
)
def test_white_space_of_several_tokens_is_named_once(scheme: str, character: str, name: str) -> None:
    labels = [
        label for label in labelled(scheme, f"a{character}b").labels if "/" in label and label[0] != "<"
    ]
    assert labels[0].lstrip("␣") == f"{name} 1/{len(labels)}"
    assert labels[1:] == [f"{number}/{len(labels)}" for number in range(2, len(labels) + 1)]


@pytest.mark.parametrize("text", ["Cafe\u0301", "re\u0301sume\u0301", "n\u0303a\u0302", "שָׁלוֹם"])
def test_accents_that_a_tokenizer_strips_are_shown(text: str) -> None:
    tokens = labelled("wordpiece", f"the {text} fox")
    assert "".join(label.removesuffix(UNKNOWN) for label in tokens.labels[1:-1]) == f"the{text}fox"
    assert [word.label.removesuffix(UNKNOWN) for word in tokens.groups][1:-1] == ["the", text, "fox"]


@pytest.mark.parametrize("scheme", ["wordpiece", "metaspace"])
def test_what_a_model_does_not_know_is_marked(scheme: str) -> None:
    tokens = labelled(scheme, "the 猫 fox 💩")
    found = [token.label for token in tokens.pieces if token.unknown]
    assert len(found) >= 2
    assert all(label.endswith(UNKNOWN) for label in found)
    assert not any(token.label.endswith(UNKNOWN) for token in tokens.pieces if not token.unknown)
    words = [word.label for word in tokens.groups]
    assert f"猫{UNKNOWN}" in words
    assert tokens.unknown == tuple(token.unknown for token in tokens.pieces)


@pytest.mark.parametrize("scheme", ["byte_level", "byte_fallback", "bytes"])
def test_bytes_are_not_unknown(scheme: str) -> None:
    assert not any(labelled(scheme, "猫 💩").unknown)


def test_special_tokens_in_the_text_are_told_from_those_around_it() -> None:
    assert [token.label for token in labelled("wordpiece", "the [MASK] fox [SEP]").typed] == [
        "[MASK]",
        "[SEP]",
    ]
    assert labelled("wordpiece", "the fox", "quick").typed == ()


@pytest.mark.parametrize("doubles", ["eos_token", "pad_token", "none"])
def test_a_special_token_that_is_named_as_unknown_too_is_special(doubles: str) -> None:
    """SmolLM2 and GPT-2 name <|endoftext|> as their unknown token; a vocabulary of bytes can write every text."""
    made = tokenizer_for("byte_level").__class__(
        tokenizer_object=tokenizer_for("byte_level").backend_tokenizer,
        unk_token="<|end|>",
        **({} if doubles == "none" else {doubles: "<|end|>"}),
    )
    encoder = Encoder(made)
    tokens = label_tokens(encoder, encoder.encode("the<|end|>fox", limit=50))
    assert not any(tokens.unknown)
    assert [token.label for token in tokens.typed] == ["<|end|>"]
