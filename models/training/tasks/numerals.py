"""Numbers from 0 to 9,999 in words."""

from __future__ import annotations

# fmt: off
_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)
# fmt: on
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
ENGLISH = (*_SMALL, *_TENS, "hundred", "thousand")

_DIGITS = "零一二三四五六七八九"
_PLACES = (("千", 1000), ("百", 100), ("十", 10), ("", 1))
CHINESE = (*_DIGITS, "两", "十", "百", "千")


def english(number: int) -> list[str]:
    """The words of a number as they are said in American English: 3021 is three thousand twenty one."""
    words: list[str] = []
    for name, size in (("thousand", 1000), ("hundred", 100)):
        if number >= size:
            words += [_SMALL[number // size], name]
            number %= size
    if number >= 20:
        words.append(_TENS[number // 10 - 2])
        number %= 10
    if number or not words:
        words.append(_SMALL[number])
    return words


def chinese(number: int) -> list[str]:
    """The characters of a number as they are said: 3021 is 三千零二十一.

    One 零 for a gap however wide, none at the end; 十 instead of 一十 at the very front; 两 in front of 千 (in front of
    百 both 二 and 两 are said; it is 二 here).
    """
    if number == 0:
        return ["零"]
    words: list[str] = []
    gap = False
    for name, size in _PLACES:
        digit = number // size % 10
        if digit == 0:
            gap = bool(words)
            continue
        if gap:
            words.append("零")
            gap = False
        if name == "十" and digit == 1 and not words:
            words.append("十")
            continue
        words.append("两" if name == "千" and digit == 2 else _DIGITS[digit])
        if name:
            words.append(name)
    return words


def written_in_english(words: list[str]) -> str:
    """Words as they are written: twenty-one has a hyphen."""
    text = " ".join(words)
    for tens in _TENS:
        for ones in _SMALL[1:10]:
            text = text.replace(f"{tens} {ones}", f"{tens}-{ones}")
    return text
