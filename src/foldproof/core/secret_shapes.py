"""The shapes of secrets in text: one table, all of it RE2, so that no text makes a pattern backtrack.

A *shape* is a secret by itself, whatever stands around it (`ghp_…`, a private key). A *place* is text behind which a
secret stands (`password=`, `Cookie:`, the credentials of an address); `secret_places` judges what stands there. All
patterns read UTF-8 bytes. Edges of words are those of ASCII, so a key between Chinese characters is seen too.
"""

from __future__ import annotations

from functools import cache
from typing import Any

_EDGE = r"(?P<edge>\b|\\+(?:[nrtbf]|u[0-9A-Fa-f]{4})|%[0-9A-Fa-f]{2})"
"""Before a shape: the edge of a word, an escape of JSON within JSON (`\\nghp_…`), or one of an address."""
SHAPES: dict[str, str] = {
    "sk-, pk-, rk- (OpenAI, Anthropic, OpenRouter, Langfuse)": r"(?P<dashed>(?:sk|pk|rk)-[\w-]{16,})",
    "Stripe": r"(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,}",
    "GitHub": r"gh[pousr]_\w{20,}|github_pat_\w{20,}",
    "GitLab": r"gl(?:pat|dt|rt|rtr|ptt|cbt|ft|soat|agent|oas|ffct|imt)-[\w.=-]{16,}",
    "Slack": r"xox[abcdeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}"
    r"|hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/+]{16,}",
    "Discord": r"discord(?:app)?\.com/api/webhooks/\d+/[\w-]{20,}",
    "AWS access key ids, with the secret behind one": r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"
    r"""(?:[\s,:;|/"'\\]{1,10}[A-Za-z0-9/+]{40}\b)?|ABSK[A-Za-z0-9+/=]{40,}""",
    "Google": r"AIza[\w-]{30,}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}|1//0[\w-]{30,}",
    "Hugging Face": r"hf_[A-Za-z0-9]{20,}|api_org_[A-Za-z0-9]{20,}",
    "npm, PyPI, Docker": r"npm_[A-Za-z0-9]{30,}|pypi-[\w-]{40,}|dckr_(?:pat|oat)_[\w-]{20,}",
    "other providers of models": r"gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|r8_[A-Za-z0-9]{30,}|pplx-[A-Za-z0-9]{20,}"
    r"|lsv2_(?:pt|sk)_[a-f0-9_]{20,}|pcsk_\w{20,}|tvly-[A-Za-z0-9-]{16,}",
    "other services": r"SG\.[\w-]{16,}\.[\w-]{16,}|SK[0-9a-f]{32}\b|do[opr]_v1_[a-f0-9]{40,}|dapi[a-f0-9]{32}"
    r"|lin_api_[A-Za-z0-9]{20,}|ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{40,}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"
    r"|(?:bot)?\d{8,10}:AA[\w-]{32,35}|sq0[a-z]{3}-[\w-]{20,}|key-[0-9a-f]{32}\b|hv[sbr]\.[\w-]{20,}|sbp_[a-f0-9]{40}"
    r"|gl(?:c|sa)_[\w+/=]{20,}|PMAK-[a-f0-9-]{40,}|ATATT3[\w=-]{20,}|AGE-SECRET-KEY-1[A-Z0-9]{50,}",
    "JSON Web Tokens": r"eyJ[\w-]{10,}\.(?:eyJ[\w-]{8,}(?:\.[\w-]*)?|[\w-]*\.[\w-]{8,}(?:\.[\w-]*){0,2})",
}
"""Secrets by themselves, by what they belong to."""

_PEM = r"[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
_BREAK = r"""(?:\s|\\+[nrt]|\\*["',+])*"""
_PRIVATE_KEYS = (
    # Whole, on several lines or with the breaks of its lines written as `\n`; cut off at its end; at its beginning.
    rf"-----BEGIN {_PEM}(?:[^-]|-[^-])*-----END {_PEM}"
    rf"|-----BEGIN {_PEM}(?:{_BREAK}[A-Za-z0-9+/=]{{16,}})+"
    rf"|(?:[A-Za-z0-9+/=]{{16,}}{_BREAK})+-----END {_PEM}"
)


def _escaped(words: str) -> str:
    """The words as they stand, and as JSON writes them within a text."""
    signs = ("".join(sign if sign.isascii() else rf"\\+u{ord(sign):04x}" for sign in word) for word in words.split("|"))
    return "|".join([words, *signs])


PASSWORDS = (
    r"passw(?:or)?d|passphrase|pwd|[_-]pass|passwort|kennwort|contrasena|senha|mot de passe|wachtwoord|"
) + _escaped("contraseña|lösenord|hasło|пароль|密码|密碼|パスワード|비밀번호")
"""What names end in whose value is a secret whatever it looks like."""
TOKENS = (
    r"secret|token|api[ _-]?key|(?:access|account|client|private|secret|signing|encryption|auth|subscription|master"
    r"|storage|license|deploy)[ _-]?key|sharedaccess(?:key|signature)|credentials?|x-amz-signature|\bsig"
)
"""What names end in whose value is a secret where it looks like one: `token` and `secret` are ordinary words too."""
NAME = rf"[\w.-]*(?:{PASSWORDS}|{TOKENS})"
_OPEN = r"""["'`\\\]]*[ \t]{0,4}(?::=|=>|->|[=:]|：|\\+uff1a)[ \t]{0,4}"""
_SAYS = r"(?:\s+(?:is|was|ist|lautet|es|est|era|é):?\s+|\s?[是为は]\s?)"
_QUOTES = r"""(?:\\*["'`\[b]){0,4}"""
HEADS: dict[str, str] = {
    "assignment": rf"(?i:(?P<name>{NAME})(?:(?P<sign>{_OPEN})|(?P<says>{_SAYS})))",
    "flag": rf"(?i:--(?P<name>{NAME})[ =]+)",
    "bearer": r"(?i:\bbearer[ \t]+)",
    "basic": r"(?i:\bbasic[ \t]+)",
    "authorization": rf"(?i:authorization{_OPEN}{_QUOTES})",
    "cookie": rf"(?i:\b(?:set-)?cookie{_OPEN}{_QUOTES})",
    "address": r"://",
    "thin": r"(?i:jdbc:oracle:\w+:)",
    "netrc": r"(?i:\blogin\s+\S+\s+password\s+)",
    "curl": r"""\bcurl\b[^\r\n]{0,200}?\s(?:-u|--user|--proxy-user)[ =]*["']?""",
}
"""What stands before a secret. The value is read apart from it, so that one that is none hides nothing."""
_ASSIGNED = (
    r"""(?:"(?P<double>(?:[^"\\\r\n]|\\.)+)|'(?P<single>(?:[^'\\\r\n]|\\.)+)|`(?P<tick>[^`\r\n]+)"""
    r"""|\\+["'](?P<nested>[^\r\n]+)|\{(?P<brace>[^{}"':,\s\\][^{}"\r\n]*)\}|(?P<plain>[^\s"'`,;&，。；、！？」』）\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]+))"""
)
VALUES: dict[str, str] = {
    "assignment": _ASSIGNED,
    "flag": _ASSIGNED,
    "bearer": r"(?P<secret>[A-Za-z0-9._~+/-]{16,}=*)",
    "basic": r"(?P<secret>[A-Za-z0-9+/_-]{6,}={0,2})",
    "authorization": r"""(?P<scheme>(?i:bearer|basic|token|api-?key|key|negotiate|ntlm|digest|aws4-hmac-\w+)[ \t]+)?"""
    r"""(?P<secret>[^\s"'`\\,;]+(?:, ?[a-zA-Z]+=[^\s"'`\\,;]+)*)""",
    "cookie": r"""(?P<secret>[\w.$-]+=[^\s"'`\\;]+(?:; ?[\w.$-]+(?:=[^\s"'`\\;]*)?)*)""",
    "address": r"""(?P<secret>[^\s/:@?"'`<>\\]*:[^\s/?"'`<>\\]+)@""",
    "thin": r"""(?P<secret>[^\s/@"']+/[^\s@"']+)@""",
    "netrc": r"""(?P<secret>[^\s"'\\,]+)""",
    "curl": r"""(?P<secret>[^\s:"']+:[^\s"']+)""",
}
"""What stands behind a head; the group that matched is what goes."""


def compiled(pattern: str) -> Any:  # noqa: ANN401  # google-re2 has no types
    """The pattern for UTF-8 bytes. Import does nothing: the library is loaded for the first text."""
    import re2

    options = re2.Options()
    options.max_mem = 64 * 2**20
    options.log_errors = False
    return re2.compile(pattern, options)


@cache
def shapes() -> Any:  # noqa: ANN401  # as above
    """All shapes as one pattern; `edge` stays, and `dashed` is looked at more closely."""
    return compiled(f"{_EDGE}(?:{'|'.join(SHAPES.values())})|{_PRIVATE_KEYS}")


@cache
def places() -> tuple[tuple[str, Any, Any], ...]:
    """The places: name, head, value."""
    return tuple((name, compiled(head), compiled(VALUES[name])) for name, head in HEADS.items())


@cache
def hints() -> Any:  # noqa: ANN401  # as above
    """One pattern that finds something in every text of which a part may have to go; most texts hold nothing."""
    heads = [head + VALUES[name] if name == "address" else head for name, head in HEADS.items()]
    found = [*SHAPES.values(), "-----(?:BEGIN|END) ", *heads]
    return compiled(_unnamed("|".join(found)))


def _unnamed(pattern: str) -> str:
    """The pattern without the names of its groups, each of which may stand once only in a pattern."""
    for name in ("dashed", "name", "sign", "says", "secret"):
        pattern = pattern.replace(f"(?P<{name}>", "(?:")
    return pattern
