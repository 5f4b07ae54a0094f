"""Whether a number is a payment card, a Chinese identity number or a bank account, by its check digits."""

from __future__ import annotations

_PROVINCES = frozenset(
    (*range(11, 16), *range(21, 24), *range(31, 38), *range(41, 47), *range(50, 55), *range(61, 66), 71, 81, 82, 83)
)
_IBAN_LENGTHS = (  # the registry of the standard, ISO 13616: country and length
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18",
    "FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20",
    "LU20 LV21 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19",
    "SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20",
)
_IBAN_LENGTH = {part[:2]: int(part[2:]) for line in _IBAN_LENGTHS for part in line.split()}


def luhn(digits: str) -> bool:
    """The check digit of ISO/IEC 7812, which cards have."""
    doubled = (int(digit) * (2 - at % 2) for at, digit in enumerate(digits, start=len(digits) % 2))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def is_brand(digits: str) -> bool:
    """Whether a card network gives out such numbers: beginning and length, as the networks publish them."""
    size, two, three, four = len(digits), int(digits[:2]), int(digits[:3]), int(digits[:4])
    if two in (34, 37):  # American Express
        return size == 15
    if two in (36, 38, 39) or 300 <= three <= 305:  # Diners Club
        return size == 14
    if digits[0] == "4":  # Visa
        return size in (16, 19)
    if 51 <= two <= 55 or 2221 <= four <= 2720:  # Mastercard
        return size == 16
    long = two in (62, 65) or four == 6011 or 644 <= three <= 649 or 3528 <= four <= 3589  # UnionPay, Discover, JCB
    return long and 16 <= size <= 19


def is_id_number(digits: str) -> bool:
    """A Chinese identity number of 18 places: province, and the check character of GB 11643."""
    if len(digits) != 18 or int(digits[:2]) not in _PROVINCES:
        return False
    total = sum(int(digit) * (2 ** (17 - at) % 11) for at, digit in enumerate(digits[:17]))
    return "10X98765432"[total % 11] == digits[17].upper()


def iban_end(text: str) -> int:
    """How many characters at the beginning are a bank account by country, length and check digits (ISO 7064), or 0."""
    size = _IBAN_LENGTH.get(text[:2], 0)
    taken = end = 0
    while taken < size and end < len(text):
        taken += text[end] != " "
        end += 1
    if not size or taken < size or (end < len(text) and text[end] != " "):
        return 0
    number = text[:end].replace(" ", "")
    return end if int("".join(str(int(char, 36)) for char in number[4:] + number[:4])) % 97 == 1 else 0
