"""
What a secret and personal data look like.

A detector has a *probe* for Rust's engine, which is searched in raw JSON as well as in decoded strings, and a
*pattern* for Python's, which is searched in a decoded string that the probe hits. A probe is therefore looser: it
looks at no neighbours, and puts up with what JSON escapes (quotes, backslashes, slashes, control characters).
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

Span = tuple[int, int]

HIDDEN = r"\\u00(?:2[0134589A-Fa-f]|3[0-9ABDFabdf]|4[0-9A-Fa-f]|5[0-9ABDEFabdef]|[67][0-9A-Fa-f])"
"""Probe: escaped ASCII that may hide a detector's letters; not what JSON must escape, nor ``&'<>``, which many do."""

# Where a word begins: also after an escape of JSON within the string ("\n", "\u000a") or of a URL ("%20").
_START = r"(?:(?<![A-Za-z0-9_])|(?<=\\[bfnrt])|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-Fa-f]{2}))"
# The same for what must not begin with the letter of such an escape.
_PERSONAL_START = r"(?:(?<![A-Za-z0-9._%+\\-])|(?<=\\[bfnrt])|(?<=\\u[0-9A-Fa-f]{4}))"


def _whole(match: re.Match[str]) -> Span | None:
    return match.span()


def _value(match: re.Match[str]) -> Span | None:
    return match.span("value")


@dataclass(frozen=True)
class Detector:
    """
    Finds one *kind*. *accept* decides on a match and says which part of it goes.

    *personal* data is left alone in identifiers. *probe_of_record* hits as well what the names of fields around a
    string tell. Probes of one *scan* are searched together: a few scans of few literals each are the fastest.
    """

    kind: str
    probe: str
    pattern: re.Pattern[str]
    accept: Callable[[re.Match[str]], Span | None] = _whole
    personal: bool = False
    scan: int = 0
    probe_of_record: str = ""

    def spans(self, text: str) -> Iterator[Span]:
        """Yield what to take out, in order and without overlap."""
        position = 0
        while match := self.pattern.search(text, position):
            span = self.accept(match)
            if span is None or span[0] >= span[1]:
                position = match.start() + 1
            else:
                yield span
                position = span[1]


# --- names of secrets, and values that look like one ---------------------------------------------------------------


class SecretName(NamedTuple):
    """What the name of a field says of its value: after a *weak* name only what looks random is a secret."""

    kind: Literal["password", "secret"]
    strength: Literal["password", "strong", "weak"]


def _words(*phrases: str) -> str:
    """Alternatives for ``api key``: apiKey, api_key, Api-Key, API_KEY; not aPi. Valid in both engines."""
    forms = []
    for phrase in phrases:
        words = phrase.split()
        forms.append("[_ .-]?".join(f"[{word[0].upper()}{word[0]}]{word[1:]}" for word in words))
        forms.append("[_ .-]?".join(word.upper() for word in words))
    return "|".join(forms)


_PASSWORD_NAMES = _words("password", "passwd", "passphrase", "passcode", "pwd")
_SECRET_NAMES = _words(
    "api key",
    "access key",
    "secret key",
    "private key",
    "account key",
    "secret",
    "token",
    "credential",
    "authorization",
)
_STRONG_NAME = re.compile(
    rf"(?:{_words('key', 'authorization')}|(?:{_words('client')})[_ .-]?(?:{_words('secret')})|"
    rf"(?:{_words('access', 'refresh', 'auth', 'oauth', 'bearer', 'session', 'id', 'security')})"
    rf"[_ .-]?(?:{_words('token')}))s?$"
)
_HARMLESS_NAME = re.compile(r"(?i)(?:page|continuation|sync|resume|cursor|change|stop|bos|eos|pad|unk)[_ .-]?tokens?$")
_NAME_END = re.compile(rf"(?:(?P<password>{_PASSWORD_NAMES})|{_SECRET_NAMES})s?$")
_SCHEME = re.compile(r"\s*(?:Bearer|Basic|Token|Digest|Negotiate|ApiKey|Key)\s+(?=\S{6})", re.IGNORECASE)

_PLACEHOLDER = re.compile(
    r"\$\{.*|\$[A-Z][A-Z0-9_]*|\{\{.*|<[^<>]*>|%\(.*|\*+|[xX]{3,}|\.{3,}.*|(?:os|process)\.env.*|[A-Za-z_.]+\(.*|(?:/[\w.-]+){2,}+/?|"
    r"(?i:string|str|text|null|none|nil|true|false|required|optional|hidden|unknown|undefined|n/a|redacted|"
    r"passw(?:or)?d|secret|token|api_?key|\[redacted\w*\])",
    re.DOTALL,
)
_NUMBER = re.compile(
    r"[-+(]{0,2}[$€£¥]?\s?\d[\d.,'’_\s]{0,40}+(?:[eE][+-]?\d{1,4})?\s?(?:%|bps|pp|[KkMBbTt]n?|\s[A-Z]{3})?\)?"
)
_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d[\d:.]{0,16}(?:Z|[+-]\d\d:?\d\d)?)?)?")


def secret_name(key: str) -> SecretName | None:
    """Return what the name of a field promises, by its end: ``db_password``, ``x-api-key``, ``refreshToken``."""
    match = _NAME_END.search(key)
    if match is None or _HARMLESS_NAME.search(key):
        return None
    if match["password"]:
        return SecretName("password", "password")
    return SecretName("secret", "strong" if _STRONG_NAME.search(key) else "weak")


def secret_span(text: str, name: SecretName) -> Span | None:
    """Return the part of a field's value that is the secret its name promises."""
    start = len(text) - len(text.lstrip())
    if name.strength == "strong" and (scheme := _SCHEME.match(text)):
        start = scheme.end()
    value = text[start:].rstrip()
    if "[redacted:" in text or not _is_secret(value, name, certain=True):
        return None
    return start, start + len(value)


def _is_secret(value: str, name: SecretName, *, certain: bool) -> bool:
    """Say whether *value* may be a secret; prose that only mentions one (not *certain*) needs a digit and a letter."""
    head = value[:256]
    if len(head) < 4 or re.search(r"\s", head) or _PLACEHOLDER.fullmatch(head):
        return False
    if _NUMBER.fullmatch(head) or _DATE.fullmatch(head):
        return False
    if name.strength == "weak":
        return _looks_random(head)
    digit, letter = re.search(r"[0-9]", head) is not None, re.search(r"[A-Za-z]", head) is not None
    if name.strength == "strong":
        return len(head) >= 8 and ((digit and letter) or (certain and len(head) >= 20))
    return certain or (len(head) >= 6 and letter and re.search(r"[0-9!@#$%^*+=]", head) is not None)


def _looks_random(value: str) -> bool:
    """Say whether a string of 16 or more is no word, name, path or version: letters and digits mixed, much entropy."""
    if len(value) < 16 or "://" in value:
        return False
    entropy = -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())
    if entropy < 2.5:
        return False
    for part in re.split(r"[-_./:,]", value):
        changes = len(re.findall(r"(?<=[0-9])[A-Za-z]|(?<=[A-Za-z])[0-9]", part))
        cases = len(re.findall(r"(?<=[a-z])[A-Z]|(?<=[A-Z])[a-z]", part))
        if len(part) >= 8 and (changes >= 2 or (len(part) >= 20 and cases >= 6)):
            return True
    return False


def _assigned(kind: Literal["password", "secret"], names: str, scan: int) -> Detector:
    """Return the detector of ``name = value`` and ``"name": "value"`` in text, its quotes escaped or not."""
    gap = r"""(?:[\s"'\\nrt]|\\u00(?:22|27|3[Ee]))*"""
    probe = rf"""(?:{names})(?:{gap}[:=]|s{gap}[:=]\s*\\*["'\[{{])"""
    named_by_a_value = rf"""(?:{names})s?"\s*[,}}]"""  # "key": "db_password"
    pattern = re.compile(
        rf"""(?P<name>(?:{names})s?)(?:\\{{0,64}}["'])?[ \t]{{0,8}}(?P<sign>:=|=>|==?|:)[ \t]{{0,8}}"""
        r"""(?:(?P<quote>\\{0,64}["'])(?P<quoted>(?:(?!(?<!\\)(?P=quote))[^\n\r])++)|(?P<bare>(?:[^\s"'\\&;<>=]++=*+){1,4}+))"""
    )

    def accept(match: re.Match[str]) -> Span | None:
        name = secret_name(match.string[max(0, match.start() - 24) : match.end("name")])
        if name is None:
            return None
        group = "quoted" if match["quote"] else "bare"
        value = match[group] if group == "quoted" else match[group].rstrip("),.]}:!?")
        if not _is_secret(value, name, certain=group == "quoted" or "=" in match["sign"]):
            return None
        return match.start(group), match.start(group) + len(value)

    return Detector(kind, probe, pattern, accept, scan=scan, probe_of_record=f"{probe}|{named_by_a_value}")


# --- credentials ---------------------------------------------------------------------------------------------------


def _json_web_token(match: re.Match[str]) -> Span | None:
    """Accept three parts (two, where the record cut it) whose first decodes to a JSON object with an algorithm."""
    head = match["head"]
    try:
        header: Any = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, RecursionError):
        return None
    return match.span() if isinstance(header, dict) and ("alg" in header or match["more"]) else None


def _random_value(match: re.Match[str]) -> Span | None:
    return match.span("value") if _looks_random(match["value"][:256]) else None


# (what the probe looks for, what the pattern takes): the pattern takes the whole run, so that no rest is left over.
_KEYS = [
    ("AIza[0-9A-Za-z_-]{35}", "AIza[0-9A-Za-z_-]{35,}+"),  # Google
    ("GOCSPX-[A-Za-z0-9_-]{20}", "GOCSPX-[A-Za-z0-9_-]{20,}+"),
    ("(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}", "(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}[A-Za-z0-9]*+"),  # AWS
    ("gh[pousr]_[A-Za-z0-9]{30}", "gh[pousr]_[A-Za-z0-9]{30,}+"),  # GitHub
    ("github_pat_[A-Za-z0-9_]{22}", "github_pat_[A-Za-z0-9_]{22,}+"),
    (
        "gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|oas)-[A-Za-z0-9_-]{16}",  # GitLab
        "gl(?:pat|ptt|dt|rt|cbt|ft|soat|agent|oas)-[A-Za-z0-9_.-]{16,}+",
    ),
    ("xox[abeoprs]-[A-Za-z0-9-]{10}", "xox[abeoprs]-[A-Za-z0-9-]{10,}+"),  # Slack
    ("xapp-[0-9]-[A-Za-z0-9-]{10}", "xapp-[0-9]-[A-Za-z0-9-]{10,}+"),
    (r"hooks\.slack\.com[\\/]", r"hooks\.slack\.com\\{0,64}/(?:services|workflows)[A-Za-z0-9/\\]{20,}+"),
    ("[rs]k_(?:live|test)_[A-Za-z0-9]{16}", "[rs]k_(?:live|test)_[A-Za-z0-9]{16,}+"),  # Stripe
    ("whsec_[A-Za-z0-9+/=]{24}", "whsec_[A-Za-z0-9+/=]{24,}+"),
    ("sk-ant-[A-Za-z0-9_-]{20}", "sk-ant-[A-Za-z0-9_-]{20,}+"),  # Anthropic
    (
        "sk-(?:proj|svcacct|admin|None|or-v1)-[A-Za-z0-9_-]{20}",
        "sk-(?:proj|svcacct|admin|None|or-v1)-[A-Za-z0-9_-]{20,}+",
    ),
    ("sk-[A-Za-z0-9]{32}", "sk-[A-Za-z0-9]{32,}+"),  # OpenAI and those who follow it
    ("hf_[A-Za-z0-9]{30}", "hf_[A-Za-z0-9]{30,}+"),  # Hugging Face
    (r"SG\.[A-Za-z0-9_-]{16,80}\.[A-Za-z0-9_-]{16}", r"SG\.[A-Za-z0-9_-]{16,80}+\.[A-Za-z0-9_-]{16,}+"),  # SendGrid
    ("npm_[A-Za-z0-9]{36}", "npm_[A-Za-z0-9]{36,}+"),
    ("pypi-AgE[A-Za-z0-9_-]{50}", "pypi-AgE[A-Za-z0-9_-]{50,}+"),
    ("dapi[0-9a-f]{32}", "dapi[0-9a-f]{32,}+"),  # Databricks
]
_SLASHES = r"(?:\\*/){2}"

CREDENTIALS = (
    Detector(
        "private_key",
        "PRIVATE KEY(?: BLOCK)?-----",
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\{1,64}[nr])*+"
            r"(?:[A-Z][A-Za-z-]{1,30}:[^\n\r\\]{0,200}+(?:\s|\\{1,64}[nr])*+){0,6}+"
            r"[A-Za-z0-9+/=]{16}[A-Za-z0-9+/=\s\\]*+(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?"
        ),
    ),
    Detector(
        "password",
        rf""":{_SLASHES}[^ \t\r\n/@"'<>]*:[^ \t\r\n/"'<>]+@""",
        re.compile(r"""://[^\s/:?#@"'<>\\]{0,256}+:(?![${<])(?P<value>[^\s/?#"'<>\\]{1,256})@"""),
        _value,
        scan=2,
    ),
    Detector(
        "api_key",
        "|".join(probe for probe, _ in _KEYS),
        re.compile(_START + "(?:" + "|".join(pattern for _, pattern in _KEYS) + ")"),
        scan=1,
    ),
    Detector(
        "jwt",
        r"eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]",
        re.compile(
            r"(?:(?<![A-Za-z0-9_-])|(?<=\\[bfnrt])|(?<=%[0-9A-Fa-f]{2}))(?P<head>eyJ[A-Za-z0-9_-]{5,4096}+)"
            r"\.[A-Za-z0-9_-]{2,}+(?P<more>\.[A-Za-z0-9_-]*+(?:\.[A-Za-z0-9_-]*+){0,2}+)?"
        ),
        _json_web_token,
    ),
    Detector(
        "access_token",
        rf"ya29\.[A-Za-z0-9_-]{{10}}|1{_SLASHES}0[A-Za-z0-9_-]{{30}}",
        re.compile(_START + r"(?:ya29\.[A-Za-z0-9_.-]{20,}+|1//0[A-Za-z0-9_-]{30,}+)"),
        scan=2,
    ),
    Detector(
        "access_token",
        r"(?:[Bb]earer|BEARER)[ \\]",
        re.compile(_START + r"(?:[Bb]earer|BEARER)[ \t]{1,4}(?P<value>[A-Za-z0-9._~+/=-]{16,}+)"),
        _random_value,
    ),
    Detector(
        "access_token",
        f"(?:{_words('authorization')})",
        re.compile(
            rf"""(?:{_words("authorization")})(?:\\{{0,64}}["'])?[ \t]{{0,8}}[:=][ \t]{{0,8}}(?:\\{{0,64}}["'])?"""
            r"(?i:bearer|basic|token|digest|negotiate|apikey)[ \t]{1,4}(?P<value>[A-Za-z0-9._~+/=-]{6,}+)"
        ),
        _value,
        scan=2,
    ),
    Detector(
        "access_token",
        r"(?:[Aa]mz|[Gg]oog)-[Ss]ignature=|sig=[0-9A-Za-z%+/_-]",
        re.compile(
            r"(?:[Xx]-(?:[Aa]mz|[Gg]oog)-[Ss]ignature|(?<![A-Za-z0-9_])sig)=(?P<value>[0-9A-Za-z%+/_-]{20,}+={0,2}+)"
        ),
        _random_value,
    ),
    _assigned("password", _PASSWORD_NAMES, scan=2),
    _assigned("secret", _SECRET_NAMES, scan=0),
)

# --- personal data -------------------------------------------------------------------------------------------------

_ID = r"(?:ids?|uid|uuid|guid)"
_CAMEL_ID = r"[a-z0-9](?:Ids?|ID|UUID)"
_IDENTIFYING = r"(?:user|user_?name|sub|session|conversation|conversation_?[Nn]ame|thread|trace|span|invocation)"

IDENTIFIER = re.compile(rf"(?:^|[_.-]){_ID}$|{_CAMEL_ID}$|^{_IDENTIFYING}$")
"""Names of identifiers: what stands under them is not searched for personal data (a user's id is hashed later)."""
IDENTIFIER_BEFORE = re.compile(
    rf"""(?:["'_.-]{_ID}|{_CAMEL_ID}|["']{_IDENTIFYING})\\{{0,64}}["']\s{{0,4}}:\s{{0,4}}\\{{0,64}}["']$"""
)
"""The same names where the identifier stands in JSON within a string: the text before its value."""


def _digits(text: str) -> str:
    return re.sub(r"[^0-9]", "", text)


_CARD_LENGTHS = (
    (("34", "37"), (15,)),
    (("30", "36", "38", "39"), (14, 16)),
    (("4",), (16, 19, 13)),
    (("51", "52", "53", "54", "55", "22", "23", "24", "25", "26", "27", "35"), (16,)),
    (("50", "56", "57", "58", "6"), (16, 19, 18, 17, 15, 14, 13)),
)


def _card(match: re.Match[str]) -> Span | None:
    """Accept 13 to 19 digits with an issuer's prefix and Luhn's check digit; other digits may follow after a space."""
    text, digits = match[0], _digits(match[0])
    lengths = next((lengths for prefix, lengths in _CARD_LENGTHS if digits.startswith(prefix)), ())
    ends = [index + 1 for index, character in enumerate(text) if character.isdigit()]
    for count in [length for length in lengths if length <= len(digits)]:
        doubled = [int(digit) * (1 + index % 2) for index, digit in enumerate(reversed(digits[:count]))]
        valid = sum(n // 10 + n % 10 for n in doubled) % 10 == 0 and len(set(digits[:count])) > 1
        if valid and not text[ends[count - 1] : ends[count - 1] + 1].isdigit():
            return match.start(), match.start() + ends[count - 1]
    return None


_IBAN_LENGTHS = {
    country: int(length)
    for length, countries in (
        entry.split(":")
        for entry in (
            "15:NO 16:BE 18:DK,FI,FO,GL,NL,SD 19:MK,SI 20:AT,BA,EE,KZ,LT,LU,MN,XK 21:CH,CR,HR,LI,LV "
            "22:BG,BH,DE,GB,GE,IE,ME,RS,VA 23:AE,GI,IL,IQ,OM,SO,TL 24:AD,CZ,ES,MD,PK,RO,SA,SE,SK,TN,VG "
            "25:LY,PT,ST 26:IS,TR 27:BI,DJ,FR,GR,IT,MC,MR,SM 28:AL,AZ,BY,CY,DO,GT,HU,LB,NI,PL,SV "
            "29:BR,EG,PS,QA,UA 30:JO,KW,MU 31:MT,SC 32:LC 33:RU"
        ).split()
    )
    for country in countries.split(",")
}


def _iban(match: re.Match[str]) -> Span | None:
    """Accept what has its country's length and mod 97 = 1; capitals that follow after a space are not part of it."""
    length = _IBAN_LENGTHS.get(match[0][:2])
    if length is None:
        return None
    places = [index for index, character in enumerate(match[0]) if character not in " -"]
    if len(places) < length:
        return None
    end = places[length - 1] + 1
    compact = "".join(match[0][place] for place in places[:length])
    number = int("".join(str(int(character, 36)) for character in compact[4:] + compact[:4]))
    if number % 97 != 1 or match.string[match.start() + end : match.start() + end + 1].isalnum():
        return None
    return match.start(), match.start() + end


def _bank_number(match: re.Match[str]) -> Span | None:
    """Accept a Mexican CLABE (18 digits) or a routing number of the United States (9) with its check digit."""
    digits = [int(digit) for digit in match["value"]]
    if len(digits) == 9:
        valid = sum(digit * weight for digit, weight in zip(digits, (3, 7, 1) * 3, strict=True)) % 10 == 0
    else:
        products = (digit * weight % 10 for digit, weight in zip(digits[:17], ((3, 7, 1) * 6)[:17], strict=True))
        valid = -sum(products) % 10 == digits[17]
    return match.span("value") if valid and any(digits) else None


def _phone(match: re.Match[str]) -> Span | None:
    """Accept 10 to 15 digits, leaving out groups after a space that are too many; one point makes a decimal number."""
    text, following = match[0], match.string[match.end() : match.end() + 2]
    ends = [index for index, character in enumerate(text) if character == " "]
    if not re.match(r"[A-Za-z0-9_]|[.,-][0-9]", following):
        ends.append(len(text))
    for end in reversed(ends):
        separators = re.sub(r"[0-9+]", "", text[:end])
        if 10 <= len(_digits(text[:end])) <= 15 and separators != ".":
            return match.start(), match.start() + end
    return None


CARD = Detector(
    "card",
    r"(?:^|[^0-9.]|\\u[0-9A-Fa-f]{4})[2-6](?:[ -]?[0-9]){12}",
    re.compile(_PERSONAL_START + r"(?<![,.$€£])[0-9]{4}(?:[ -]?[0-9]){9,15}+(?![0-9A-Za-z_]|[.,][0-9])"),
    _card,
    personal=True,
    scan=3,
)
ACCOUNT = Detector(
    "account",
    r"[A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]){11}|(?:[Rr]outing|ROUTING|ABA|CLABE|[Cc]labe)",
    re.compile(
        rf"{_PERSONAL_START}(?:(?P<iban>[A-Z]{{2}}[0-9]{{2}}(?:[ -]?[A-Z0-9]){{11,30}}+)|"
        r"(?:[Rr]outing|ROUTING|ABA|CLABE|[Cc]labe)[^0-9]{0,20}+(?P<value>[0-9]{18}|[0-9]{9})(?![0-9]))"
    ),
    lambda match: _iban(match) if match["iban"] else _bank_number(match),
    personal=True,
    scan=3,
)
PHONE = Detector(
    "phone",
    r"\+[1-9][0-9 .(-]{6}|\([2-9][0-9]{2}\) ?[2-9][0-9]{2}[ .-][0-9]{4}|[2-9][0-9]{2}[.-][2-9][0-9]{2}[.-][0-9]{4}",
    re.compile(
        rf"{_PERSONAL_START}(?:\+[1-9][0-9]{{9,14}}+|"
        r"\+[1-9][0-9]{0,5}+(?:[ .-]?\([0-9]{1,4}\))?[ .-]?(?<=[ .)-])[0-9](?:[ .-]?[0-9]){3,24}+|"
        r"\([2-9][0-9]{2}\) ?[2-9][0-9]{2}[ .-][0-9]{4}|[2-9][0-9]{2}([.-])[2-9][0-9]{2}\1[0-9]{4})"
    ),
    _phone,
    personal=True,
    scan=3,
)
EMAIL = Detector(
    "email",
    r"@[A-Za-z0-9-]{1,63}\.",
    re.compile(
        _PERSONAL_START + r"[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}+@(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}+\.){1,8}[A-Za-z]{2,24}"
        r"(?![A-Za-z0-9-])"
    ),
    personal=True,
    scan=3,
)

KINDS = frozenset(detector.kind for detector in (*CREDENTIALS, CARD, ACCOUNT, PHONE, EMAIL))
