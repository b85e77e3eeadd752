"""Numbers in words, against hand-checked cases, and read back for all of them."""

from __future__ import annotations

import pytest

from models.training.tasks.number_words import LARGEST, ChineseWords, EnglishWords
from models.training.tasks.numerals import CHINESE, ENGLISH, chinese, english

CASES = {
    0: ("zero", "零"),
    7: ("seven", "七"),
    10: ("ten", "十"),
    12: ("twelve", "十二"),
    20: ("twenty", "二十"),
    21: ("twenty-one", "二十一"),
    100: ("one hundred", "一百"),
    101: ("one hundred one", "一百零一"),
    110: ("one hundred ten", "一百一十"),
    200: ("two hundred", "二百"),
    215: ("two hundred fifteen", "二百一十五"),
    222: ("two hundred twenty-two", "二百二十二"),
    1000: ("one thousand", "一千"),
    1001: ("one thousand one", "一千零一"),
    1010: ("one thousand ten", "一千零一十"),
    2000: ("two thousand", "两千"),
    2002: ("two thousand two", "两千零二"),
    2222: ("two thousand two hundred twenty-two", "两千二百二十二"),
    3021: ("three thousand twenty-one", "三千零二十一"),
    5100: ("five thousand one hundred", "五千一百"),
    9090: ("nine thousand ninety", "九千零九十"),
    9999: ("nine thousand nine hundred ninety-nine", "九千九百九十九"),
}


@pytest.mark.parametrize("number", CASES)
def test_hand_checked(number: int) -> None:
    assert (EnglishWords().answer(str(number)), ChineseWords().answer(str(number))) == CASES[number]


def read_english(words: list[str]) -> int:
    total = part = 0
    for word in words:
        if word == "thousand":
            total, part = part * 1000, 0
        elif word == "hundred":
            part *= 100
        else:
            index = ENGLISH.index(word)
            part += index if index < 20 else (index - 18) * 10
    return total + part


def read_chinese(words: list[str]) -> int:
    total, digit = 0, 0
    for word in words:
        if word in "十百千":
            total += max(digit, 1) * 10 ** ("十百千".index(word) + 1)
            digit = 0
        else:
            digit = 2 if word == "两" else CHINESE.index(word)
    return total + digit


def test_all_numbers_can_be_read_back() -> None:
    for number in range(LARGEST + 1):
        assert read_english(english(number)) == number
        assert read_chinese(chinese(number)) == number


def test_zeros_in_chinese() -> None:
    """One 零 per gap, none at the end, none two times in a row."""
    for number in range(1, LARGEST + 1):
        text = "".join(chinese(number))
        assert not text.endswith("零")
        assert "零零" not in text
        assert text.count("零") == sum(bool(part) for part in str(number).strip("0").split("0")[1:] if part)


@pytest.mark.parametrize("task", [EnglishWords(), ChineseWords()])
def test_written_answers_are_read_again(task: EnglishWords | ChineseWords) -> None:
    for number in range(0, LARGEST + 1, 7):
        assert task.split(task.answer(str(number))) == task.say(number)
