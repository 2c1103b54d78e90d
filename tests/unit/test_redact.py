"""Tests of redaction: no secret gets past it, no figure gets lost by it, whatever the record looks like."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from monitor.errors import RecordError
from monitor.redact import MAX_DEPTH, Redaction, Redactor, user_pseudonym

CREDENTIALS = Redactor(Redaction())
EVERYTHING = Redactor(
    Redaction(email=True, phone=True, card=True, account=True, patterns={"employee": r"EMP-\d{4,10}"})
)

BASE62 = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
JWT = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA1234567890abcdef\nQ0FGRQ==\n-----END RSA PRIVATE KEY-----"

SECRETS = [
    (PEM + " and 42 flights", "[redacted:private_key] and 42 flights"),
    (json.dumps(PEM)[1:-1], "[redacted:private_key]"),
    (json.dumps(json.dumps(PEM)[1:-1])[1:-1], "[redacted:private_key]"),
    (PEM[:60], "[redacted:private_key]"),
    (
        "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: DES,AB12\n\nMHcCAQEEIAbcdefg\n-----END EC PRIVATE KEY-----.",
        "[redacted:private_key].",
    ),
    ("postgres://bob:hunter2@db.internal/sales", "postgres://bob:[redacted:password]@db.internal/sales"),
    ("redis://:p@ss:w0rd@cache:6379", "redis://:[redacted:password]@cache:6379"),
    ("AKIAIOSFODNN7EXAMPLE", "[redacted:api_key]"),
    ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key = [redacted:secret]"),
    (f"AIza{BASE62[:35]} works", "[redacted:api_key] works"),
    (f"GOCSPX-{BASE62[:28]}", "[redacted:api_key]"),
    (f"ya29.{BASE62}-x", "[redacted:access_token]"),
    (f"1//0{BASE62}", "[redacted:access_token]"),
    (f"ghp_{BASE62[:36]}", "[redacted:api_key]"),
    (f"github_pat_{BASE62}", "[redacted:api_key]"),
    (f"glpat-{BASE62[:20]}", "[redacted:api_key]"),
    ("xoxb-123456789012-abcDEF", "[redacted:api_key]"),
    (f"https://hooks.slack.com/services/T00000000/B00000000/{BASE62[:24]}", "https://[redacted:api_key]"),
    (f"sk_live_{BASE62[:24]}, rk_test_{BASE62[:24]}", "[redacted:api_key], [redacted:api_key]"),
    (f"sk-{BASE62}", "[redacted:api_key]"),
    (f"sk-proj-{BASE62}_x-y", "[redacted:api_key]"),
    (f"sk-ant-api03-{BASE62}", "[redacted:api_key]"),
    (f"hf_{BASE62[:34]}", "[redacted:api_key]"),
    (f"https://x/?key=1&sig={BASE62}%3D&n=2", "https://x/?key=1&sig=[redacted:access_token]&n=2"),
    (f"token {JWT}.", "token [redacted:jwt]"),
    (JWT.rpartition(".")[0], "[redacted:jwt]"),
    (f"eyJub3QiOiJqc29u.{BASE62}.x", f"eyJub3QiOiJqc29u.{BASE62}.x"),
    (f"Authorization: Bearer {BASE62}", "Authorization: Bearer [redacted:access_token]"),
    ("authorization: basic dXNlcjpwYXNz", "authorization: basic [redacted:access_token]"),
    (f"curl -H 'Bearer {BASE62}'", "curl -H 'Bearer [redacted:access_token]'"),
    ("password: hunter2, ok", "password: [redacted:password], ok"),
    ("PGPASSWORD=letmein psql", "PGPASSWORD=[redacted:password] psql"),
    ("password=ab=cd", "password=[redacted:password]"),
    ("api_key=abcd1234efgh", "api_key=[redacted:secret]"),
    ("x-api-key: 'abcd1234efgh'", "x-api-key: '[redacted:secret]'"),
    ("client secret: Abcd-1234-efgh", "client secret: [redacted:secret]"),
    (f"token={BASE62}&n=1", "token=[redacted:secret]&n=1"),
    ('{"password": "two words"}', '{"password": "two words"}'),
    (r"{\"password\": \"hunter2\", \"n\": 5}", r"{\"password\": \"[redacted:password]\", \"n\": 5}"),
    (r"{\\\"password\\\": \\\"hunter2\\\"}", r"{\\\"password\\\": \\\"[redacted:password]\\\"}"),
    (r'{"password": "hun\"ter2", "n": 5}', '{"password": "[redacted:password]", "n": 5}'),
    (r"line\nAKIAIOSFODNN7EXAMPLE\nline", r"line\n[redacted:api_key]\nline"),
    (rf"gh\u0070_{BASE62[:36]}", "[redacted:api_key]"),
    (r'{"pass\u0077ord": "hunter2"}', '{"password": "[redacted:password]"}'),
    (f"AKIAIOSFODNN7EXAMPLE{BASE62}", "[redacted:api_key]"),
]

HARMLESS = [
    "",
    "task-force risk-adjusted sk-learn disk-usage",
    "Password: required. Forgot your password: click here",
    "password: Your password must be at least 8 characters",
    "password=${DB_PASSWORD} api_key=<your key> token=****** secret={{ secret }}",
    "token=ETH secret: revealed credentials: none",
    "secret = 12.5%; token: 1,234; token = 1 234 567.89; password = 2024-01-31; api_key: 12345678",
    "prompt_tokens: 512, total_tokens=1024, max_token: 4096",
    "pageToken=CAUQAA1b2c3d4e5f6g7h8 next_page_token: CAUQAA1b2c3d4e5f6g7h8",
    "SELECT token, SUM(secret) FROM t WHERE token = 'ETH' AND authorization = 'granted'",
    "secret: projects/123/secrets/my-secret/versions/1",
    "https://example.com:8080/path?q=a@b see http://[::1]:80/",
    "the private key -----BEGIN PRIVATE KEY----- starts a file",
    "PWD=/home/analyst/projects",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b, id 550e8400-e29b-41d4-a716-446655440000",
    "[REDACTED] [redacted:email] [redacted:",
    "bob@example.com +1 415 555 2671 4111 1111 1111 1111 DE89 3704 0044 0532 0130 00",
]

PERSONAL = [
    ("mail bob.smith+x@mail.example.co.uk.", "mail [redacted:email]."),
    (r"\nbob@example.com", r"\n[redacted:email]"),
    ("+1 (415) 555-2671, (415) 555-2671, 415-555-2671.", "[redacted:phone], [redacted:phone], [redacted:phone]."),
    ("+49151 12345678 or +44 (0)20 7946 0958", "[redacted:phone] or [redacted:phone]"),
    ("+4915112345678 5 times", "[redacted:phone] 5 times"),
    ("+49 151 1234 5678 90 12 34 56", "[redacted:phone] 12 34 56"),
    ("4111 1111 1111 1111 12/26", "[redacted:card] 12/26"),
    ("4111111111111111; 5555-5555-5555-4444; 378282246310005", "[redacted:card]; [redacted:card]; [redacted:card]"),
    ("DE89 3704 0044 0532 0130 00 AND GB82WEST12345698765432", "[redacted:account] AND [redacted:account]"),
    (
        "routing number 021000021, CLABE: 032180000118359719",
        "routing number [redacted:account], CLABE: [redacted:account]",
    ),
    ("EMP-12345 left", "[redacted:employee] left"),
    ("EMP-12345AKIAIOSFODNN7EXAMPLE", "[redacted:employee][redacted:api_key]"),
]

NOT_PERSONAL = [
    "4111111111111112 4111.1111111111111 $4111111111111111 0.4111111111111111 14111111111111111",
    "DE89 3704 0044 0532 0130 01 and GB82WEST1234569876543",
    "routing number 021000022, CLABE: 032180000118359718, 021000021",
    "+12345678 flights, +15 200 300, +12345678 415, +1234567890.12, up +5 to +7, 2024-01-02 10:00, 1-800",
    "5,105,105,105,105,100 and 415.5552671",
    "x@y, @dataset.table, table@-3600000, pkg@1.2.3",
    "EMP-1",
]


@pytest.mark.parametrize(("text", "expected"), SECRETS)
def test_credentials_are_taken_out(text: str, expected: str) -> None:
    """A credential is replaced by what it was, and nothing around it."""
    assert expected == CREDENTIALS.text(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_credential_stays(text: str) -> None:
    """Prose, placeholders, numbers, dates and ids stay; personal data too, unless asked for."""
    assert CREDENTIALS.text(text) is text


@pytest.mark.parametrize(("text", "expected"), PERSONAL)
def test_personal_data_is_taken_out_when_asked_for(text: str, expected: str) -> None:
    """E-mail addresses, phone, card and account numbers go where configured, and so does what you describe."""
    assert expected == EVERYTHING.text(text)


@pytest.mark.parametrize("text", NOT_PERSONAL)
def test_numbers_without_a_valid_check_digit_stay(text: str) -> None:
    """A figure is not taken for a card, an account or a phone number."""
    assert EVERYTHING.text(text) is text


@pytest.mark.parametrize("kind", ["email", "phone", "card", "account"])
def test_each_kind_has_its_switch(kind: str) -> None:
    """What is switched on is taken out, and nothing else."""
    text = "bob@example.com +4915112345678 4111111111111111 DE89370400440532013000 AKIAIOSFODNN7EXAMPLE"
    found = re.findall(r"redacted:(\w+)", Redactor(Redaction(credentials=False, **{kind: True})).text(text))
    assert [kind] == found
    assert Redactor(Redaction(credentials=False)).text(text) is text


def test_record_is_redacted_at_any_depth() -> None:
    """Values and keys, in lists and objects; the counts say how much of what."""
    value = {
        "messages": [{"content": "use AKIAIOSFODNN7EXAMPLE"}, {"content": "fine", "n": 3}],
        "AKIAIOSFODNN7EXAMPLE": True,
        "db": {"password": "correct-horse", "port": 5432},
    }
    expected = {
        "messages": [{"content": "use [redacted:api_key]"}, {"content": "fine", "n": 3}],
        "[redacted:api_key]": True,
        "db": {"password": "[redacted:password]", "port": 5432},
    }
    assert (expected, {"api_key": 2, "password": 1}) == CREDENTIALS.record(value)
    assert (expected, {"api_key": 2, "password": 1}) == CREDENTIALS.record(value, orjson.dumps(value))


def test_record_without_a_hit_is_the_same_object() -> None:
    """Nothing is copied where nothing is found, and unchanged parts of a changed record are not either."""
    clean: dict[str, Any] = {"rows": [[1, "x"], [2, "y"]], "text": "42 flights"}
    assert CREDENTIALS.record(clean)[0] is clean
    assert CREDENTIALS.record(clean, orjson.dumps(clean)) == (clean, {})
    assert CREDENTIALS.record(clean, orjson.dumps(clean))[0] is clean
    changed = CREDENTIALS.record({"clean": clean, "password": "hunter2"})[0]
    assert changed["clean"] is clean


@pytest.mark.parametrize(
    "value",
    [
        {"rows": [{"token": 17, "secret": 0.5, "password": None, "api_key": True}]},
        {"rows": [{"token": "1,234", "secret": "12.5%", "password": "17", "api_key": "$1,234,567.00"}]},
        {"rows": [{"token": "ETH", "secret": "revealed", "credentials": "not needed"}]},
        {"token": ["BTC", "ETH", "12.5"], "tokens": 12345678901234567890, "password": "2024-01-31"},
        {"columns": ["token", "secret", "password"], "rows": [["a", 1, 2]]},
        {"usage": {"total_tokens": 512, "token_count": "512"}, "nextPageToken": BASE62},
        {"properties": {"password": {"type": "string", "description": "Your password, 8 characters"}}},
        {"name": "token", "value": 12, "unit": "USD"},
    ],
)
def test_result_columns_called_like_secrets_keep_their_values(value: dict[str, Any]) -> None:
    """A column called token or secret loses no figure, no word and no date."""
    assert CREDENTIALS.record(value)[0] is value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"password": "hunter2"}, {"password": "[redacted:password]"}),
        ({"dbPassword": "hunter2"}, {"dbPassword": "[redacted:password]"}),
        ({"passwords": ["hunter2", 5]}, {"passwords": ["[redacted:password]", 5]}),
        ({"token": BASE62}, {"token": "[redacted:secret]"}),
        ({"x-api-key": "abcd1234"}, {"x-api-key": "[redacted:secret]"}),
        ({"OPENAI_API_KEY": "abcd1234"}, {"OPENAI_API_KEY": "[redacted:secret]"}),
        ({"Authorization": "Bearer abcd1234"}, {"Authorization": "Bearer [redacted:secret]"}),
        ({"key": "db.password", "value": "hunter2"}, {"key": "db.password", "value": "[redacted:password]"}),
        (
            {"value": {"stringValue": "hunter2"}, "key": "db.password"},
            {"value": {"stringValue": "[redacted:password]"}, "key": "db.password"},
        ),
        ({"name": "Api-Key", "value": "abcd1234"}, {"name": "Api-Key", "value": "[redacted:secret]"}),
    ],
)
def test_values_under_telling_names_are_taken_out(value: dict[str, Any], expected: dict[str, Any]) -> None:
    """A field called password or api_key, however it is spelt, and a name beside a value, give the value away."""
    assert expected == CREDENTIALS.record(value)[0]
    assert expected == CREDENTIALS.record(value, orjson.dumps(value))[0]


def test_keys_that_become_equal_keep_all_values() -> None:
    """Two secrets as keys of one object stay two fields."""
    value = {f"ghp_{BASE62[:36]}": 1, f"hf_{BASE62[:34]}": 2, "[redacted:api_key]#2": 3}
    redacted = CREDENTIALS.record(value)[0]
    assert [1, 2, 3] == list(redacted.values())
    assert 3 == len(set(redacted))


@pytest.mark.parametrize(
    "name", ["id", "user", "user_id", "userId", "enduser.id", "customer_ids", "userID", "session", "uid"]
)
def test_identifiers_keep_personal_data_but_no_credentials(name: str) -> None:
    """A user's id is hashed later, so it must arrive whole; a key in its place must not."""
    value = {name: ["bob@example.com", "AKIAIOSFODNN7EXAMPLE"]}
    assert {name: ["bob@example.com", "[redacted:api_key]"]} == EVERYTHING.record(value)[0]
    within = json.dumps({name: "bob@example.com", "note": "bob@example.com"})
    expected = json.dumps({name: "bob@example.com", "note": "[redacted:email]"})
    assert expected == EVERYTHING.text(within)
    attribute = {"key": name, "value": {"stringValue": "bob@example.com"}}
    assert EVERYTHING.record(attribute)[0] is attribute
    assert {"ident": "[redacted:email]"} == EVERYTHING.record({"ident": "bob@example.com"})[0]


def test_nested_json_stays_json() -> None:
    """JSON in a string in a string parses after redaction, its other values unchanged."""
    inner = {"password": 'hun"ter\\2', "note": "mail\nbob@example.com\t5", "n": 1.50, "key": PEM}
    outer = {"result": json.dumps({"text": json.dumps(inner)})}
    redacted = EVERYTHING.record(outer)[0]
    found = json.loads(json.loads(redacted["result"])["text"])
    assert {"password", "note", "n", "key"} == set(found)
    assert "[redacted:password]" == found["password"]
    assert "mail\n[redacted:email]\t5" == found["note"]
    assert (1.5, "[redacted:private_key]") == (found["n"], found["key"])


def test_depth_is_bounded_with_a_clear_error() -> None:
    """Nesting without end is refused as such and never half redacted or a crash."""
    value: Any = "AKIAIOSFODNN7EXAMPLE"
    for level in range(MAX_DEPTH + 1):
        value = [value] if level % 2 else {"x": value}
    with pytest.raises(RecordError, match="nests deeper") as raised:
        CREDENTIALS.record(value)
    assert "too_deep" == raised.value.cause
    inner = value["x"] if isinstance(value, dict) else value[0]
    assert {"api_key": 1} == CREDENTIALS.record(inner)[1]


def test_raw_text_that_is_no_utf8_is_never_trusted() -> None:
    """What can't be searched is walked."""
    value = {"text": "use AKIAIOSFODNN7EXAMPLE"}
    assert {"api_key": 1} == CREDENTIALS.record(value, b'{"text": "\xff use nothing"}')[1]
    assert "\ud800 [redacted:api_key]" == CREDENTIALS.text("\ud800 AKIAIOSFODNN7EXAMPLE")


def test_a_marker_within_a_secret_value_is_left_alone() -> None:
    """What was redacted in part stays so: the rest is not taken for the secret on a second look."""
    once, _ = CREDENTIALS.record({"password": f"key={PEM}"})
    assert {"password": "key=[redacted:private_key]"} == once
    assert CREDENTIALS.record(once)[0] is once


def test_numbers_after_an_escaped_character_are_found_in_raw_text() -> None:
    """A card number after a no-break space that JSON writes as digits is not taken for a longer number."""
    value = {"x": "\u00a04111111111111111"}
    assert {"card": 1} == Redactor(Redaction(card=True)).record(value, json.dumps(value).encode())[1]


# --- whatever the record looks like ---------------------------------------------------------------------------------

FRAGMENTS = [
    *(text for text, _ in SECRETS),
    *(text for text, _ in PERSONAL),
    *"password secret token api_key authorization bearer key value name user_id id".split(),
    *': = " \' \\ \\" \\n \\u0041 \u00a0 / :// @ . - _ + % 4111 [redacted:x] [redacted: ] { } 12.5 2024-01-31 é ✈'.split(
        " "
    ),
]
TEXTS = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=4), max_size=5).map("".join)
TEXTS_OF_TEXTS = (
    TEXTS | TEXTS.map(json.dumps) | TEXTS.map(lambda text: json.dumps({"password": json.dumps({"t": text})}))
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS_OF_TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
thorough = settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])


def same_shape(old: Any, new: Any) -> bool:
    if isinstance(old, dict):
        return len(old) == len(new) and all(map(same_shape, old.values(), new.values()))
    if isinstance(old, list):
        return len(old) == len(new) and all(map(same_shape, old, new))
    if isinstance(old, str):
        return isinstance(new, str) and (old == new or "[redacted:" in new)
    return type(old) is type(new) and bool(old == new)


@thorough
@given(VALUES)
def test_redacting_twice_changes_nothing_more(value: Any) -> None:
    """What was redacted is redacted: the same again comes out, as the same object."""
    for redactor in (CREDENTIALS, EVERYTHING):
        once, _ = redactor.record(value)
        twice, counts = redactor.record(once)
        assert (once, {}) == (twice, counts)
        assert twice is once


@thorough
@given(VALUES)
def test_structure_and_numbers_are_never_touched(value: Any) -> None:
    """Only strings change, and only to hold a marker; every number, boolean, null, list and object is as it was."""
    redacted, counts = EVERYTHING.record(value)
    assert same_shape(value, redacted)
    assert bool(counts) == (redacted is not value)


def hide(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


@thorough
@given(VALUES)
def test_raw_text_never_hides_a_hit(value: Any) -> None:
    """However the JSON is written, looking at its text first finds what looking at every string finds."""
    for redactor in (CREDENTIALS, EVERYTHING):
        expected = redactor.record(value)
        plain = json.dumps(value)
        hidden = re.sub(r"(?<![\\u0-9A-Fa-f.e+-])[g-zG-Z_@:/]", hide, plain) if plain.startswith('"') else plain
        for raw in (
            orjson.dumps(value) if "e+" not in plain and len(plain) < 10**5 and fits(value) else plain.encode(),
            plain.encode(),
            json.dumps(value, ensure_ascii=False, indent=2).encode(),
            plain.replace("/", r"\/").encode(),
            hidden.encode(),
        ):
            assert expected == redactor.record(json.loads(raw), raw)


def fits(value: Any) -> bool:
    """Say whether orjson takes the integers of *value*."""
    if isinstance(value, dict | list):
        return all(map(fits, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, int) or abs(value) < 2**63


@pytest.mark.parametrize(("text", "expected"), [*SECRETS, *PERSONAL])
@pytest.mark.parametrize("levels", [0, 1, 2])
def test_every_example_is_found_from_its_raw_text(text: str, expected: str, levels: int) -> None:
    """Each example is found in a record by its JSON text, in JSON within JSON too, plain or escaped."""
    value: Any = {"content": f"so: {text}"}
    for _ in range(levels):
        value = {"content": json.dumps(value)}
    found = EVERYTHING.record(value)
    assert bool(found[1]) == ("[redacted:" in expected)
    escaped = (
        re.sub("[A-Za-z@:/]", hide, json.dumps(value["content"])[1:-1])
        if levels == 0 and "\\" not in json.dumps(text)
        else ""
    )
    for raw in (orjson.dumps(value), json.dumps(value).replace("/", r"\/").encode()):
        assert found == EVERYTHING.record(value, raw)
    if escaped:
        raw = f'{{"content": "{escaped}"}}'.encode()
        assert found == EVERYTHING.record(json.loads(raw), raw)


HOSTILE = [
    *"-----BEGIN\x20PRIVATE\x20KEY-----|://a:b|://|eyJ|eyJaaaaaaa.|\\neyJaaaaaaaa|token=|token='|token=\"'|sig=".split(
        "|"
    ),
    *'token=\\"x\\\\"y|password:\x20|authorization:\x20bearer\x20|Bearer\x20|AKIA|sk-|SG.aaaaaaaaaaaaaaaaaa.'.split(
        "|"
    ),
    *"4|4\x20|4444\x20|+1|+1\x202\x20|DE89|DE89\x20|ABA\x20|@|a@|a@b.|a.|\\u0041|\\|[redacted:x]|[redacted:|EMP-".split(
        "|"
    ),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_costs_no_more_than_its_length(piece: str) -> None:
    """100 KB made to send a pattern back and forth are done in well under the 2 s that a quadratic one exceeds."""
    text = (piece * (100_000 // len(piece)))[:100_000]
    started = time.process_time()
    EVERYTHING.text(text)
    EVERYTHING.record({"password": text, "token": [text]})
    assert time.process_time() - started < 2


# --- your own patterns ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        (r"\b\d{3}-\d{2}-\d{4}\b", "ssn 078-05-1120", "ssn [redacted:mine]"),
        (r"(?i)emp-\d{1,8}", "Emp-7 emp-8", "[redacted:mine] [redacted:mine]"),
        (r"(?:\d{1,3}\.){3}\d{1,3}", "from 10.0.0.1", "from [redacted:mine]"),
        (r"[a-z.]{1,64}@[a-z-]{1,63}\.corp", "x bob@sales.corp", "x [redacted:mine]"),
        ("redacted", "not redacted [redacted:email]", "not [redacted:mine] [redacted:email]"),
        (r"^K\d", "K1", "[redacted:mine]"),
        ("abc1|abc2", "abc2", "[redacted:mine]"),
    ],
)
def test_own_patterns_name_their_marker(pattern: str, text: str, expected: str) -> None:
    """Your pattern's name is its marker, in text and in records with their raw text."""
    redactor = Redactor(Redaction(patterns={"mine": pattern}))
    assert expected == redactor.text(text)
    assert {"x": expected} == redactor.record({"x": text}, orjson.dumps({"x": text}))[0]


@pytest.mark.parametrize(
    ("patterns", "says"),
    [
        ({"Bad Name": "x"}, "lower-case letters"),
        ({"email": "x"}, "can't name a pattern"),
        ({"x": "(abc"}, "no regular expression"),
        ({"x": "[[a]b"}, "no regular expression"),
        ({"x": "a" * 201}, "write at most 200"),
        ({"x": r"\d{0,5}"}, "matches an empty text"),
        ({"x": r"EMP-\d+"}, "{1,64} for '+'"),
        ({"x": r"EMP-\d*"}, "without a bound"),
        ({"x": r"x\d{3,}"}, "without a bound"),
        ({"x": r"(a+)+b"}, "without a bound"),
        ({"x": r"(?:a{1,9}){1,9}b"}, "within another"),
        ({"x": r"(?:a{1,9}b?){1,9}"}, "within another"),
        ({"x": r"(?:a{1,9}){8}b"}, "ways at one place"),
        ({"x": r"(?:a|a|a){20}b"}, "ways at one place"),
        ({"x": r"\w{1,64}\w{1,64}\w{1,64}@"}, "ways at one place"),
        ({"x": r"(ab)\1"}, "refers back"),
    ],
)
def test_bad_patterns_are_refused_with_the_remedy(patterns: dict[str, str], says: str) -> None:
    """A wrong pattern, or one that a hostile text could make slow, stops the start and says what to write."""
    with pytest.raises(ValidationError) as raised:
        Redaction(patterns=patterns)
    assert says in str(raised.value)


def test_unknown_options_are_refused() -> None:
    """A misspelt switch is no silent lack of redaction."""
    with pytest.raises(ValidationError, match="Extra inputs"):
        Redaction.model_validate({"emails": True})


# --- users ----------------------------------------------------------------------------------------------------------


def test_pseudonym_is_the_keyed_hash() -> None:
    """The same user under the same secret is the same pseudonym everywhere, and only there."""
    assert "3ee1d0650dc9ad001cb06b725dd88915" == user_pseudonym("bob@example.com", "s3cret")
    assert user_pseudonym("bob@example.com", "other") != user_pseudonym("bob@example.com", "s3cret")
    assert user_pseudonym("ann@example.com", "s3cret") != user_pseudonym("bob@example.com", "s3cret")


@pytest.mark.parametrize(("user", "secret"), [("bob", None), ("bob", ""), (None, "s3cret"), ("", "s3cret")])
def test_no_secret_or_no_user_is_no_pseudonym(user: str | None, secret: str | None) -> None:
    """Without a secret a user's id is dropped, not hashed in a way that can be guessed."""
    assert user_pseudonym(user, secret) is None


def test_pseudonym_takes_any_text() -> None:
    """A hostile id raises nothing."""
    assert user_pseudonym("\ud800", "s3cret") is not None
