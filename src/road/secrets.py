"""Text that looks as if it held a password or a token, which nothing that is kept may hold.

https://NAME:PASSWORD@host      user information in an address
token=VALUE, --api-key VALUE    a value whose name says what it is
hf_..., ghp_..., sk-..., AKIA   tokens that are known by how they begin
"""

import re

HIDDEN = "***"
NAMED = (
    r"(?:api|access|private|account)?[-_]?"
    r"(?:key|token|secret|password|passwd|credentials?|signature)"
)
"""A whole word, so that ``monkey=`` and ``num_memory_tokens=`` are none."""
SECRETS = (
    re.compile(r"(?P<before>\w://)(?P<secret>[^\s/@]+)(?=@)"),
    re.compile(rf"(?i)(?P<before>(?<![a-z0-9_]){NAMED}(?:=|%3d|\s+))(?P<secret>[^\s&;,'\"]+)"),
    re.compile(
        r"(?P<before>(?<![A-Za-z0-9]))"
        r"(?P<secret>(?:hf_|gh[opsu]_|github_pat_|sk-|xox[abp]-|AKIA)[A-Za-z0-9_-]{12,})"
    ),
)


def holds_secret(text: str) -> bool:
    return any(pattern.search(text) for pattern in SECRETS)


def without_secrets(text: str) -> str:
    """The text with every such value hidden."""
    for pattern in SECRETS:
        text = pattern.sub(lambda found: f"{found['before']}{HIDDEN}", text)
    return text
