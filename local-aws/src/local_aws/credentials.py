"""The developer's credentials for one local AWS: made at random, kept in its folder."""

from __future__ import annotations

import hmac
import json
import secrets
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path

from local_aws.private_files import refuse_foreign, write_whole

CREDENTIALS = "credentials.json"
"""The file's name in the local AWS's folder."""

ACCOUNT_ID = "123456789012"
"""The account that a local AWS begins with: the emulator's own default, nobody's real one."""

ACCOUNTS = "accounts"
"""The folder, in that of the local AWS, which holds a folder for each further account."""

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


@dataclass(frozen=True, kw_only=True)
class Credentials:
    """An access key of the local AWS's developer, and the token of its own pages.

    The key looks like any of AWS's (IAM user guide, "IAM identifiers"), so that
    every client takes it; nobody has it on AWS, so that with it nothing can reach an account.
    ``page_token`` is what ``/_local/…`` asks for.
    """

    access_key_id: str
    secret_access_key: str = field(repr=False)
    page_token: str = field(repr=False)

    def seal(self, text: str) -> str:
        """What only this local AWS can put before ``text``: a path that cannot be guessed."""
        return hmac.new(self.page_token.encode(), text.encode(), sha256).hexdigest()

    @classmethod
    def made(cls) -> Credentials:
        """New ones, at random."""
        return cls(
            access_key_id="AKIA" + "".join(secrets.choice(_ALPHABET) for _ in range(16)),
            secret_access_key=secrets.token_urlsafe(30),
            page_token=secrets.token_urlsafe(30),
        )

    @classmethod
    def of(cls, state_dir: Path) -> Credentials:
        """Those of the local AWS in ``state_dir``, made and kept (mode 0600) when there are none.

        What cannot be read, or others could have read, is made anew. Raises `Mistake` for a file
        that is not this user's own.
        """
        path = state_dir / CREDENTIALS
        if path.exists() or path.is_symlink():
            refuse_foreign(path)
            kept = _read(path)
            if kept is not None and not path.stat().st_mode & 0o077:
                return kept
        made = cls.made()
        write_whole(path, [json.dumps(asdict(made)).encode()])
        return made


def _read(path: Path) -> Credentials | None:
    try:
        return Credentials(**json.loads(path.read_bytes()))
    except (ValueError, TypeError):
        return None
