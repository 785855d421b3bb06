"""An object uploaded by a form: who signed the form's policy, and whether the form keeps to it.

Source: S3 API reference, "POST Object", "Creating a POST policy" and "Authenticating requests
in browser-based uploads".
"""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from werkzeug import Request

from local_aws.authentication.claims import Claim, Form, claim_of
from local_aws.authentication.refusals import Kind, Refused
from local_aws.authentication.signatures import Wire

_NOT_IN_THE_POLICY = frozenset({"file", "policy", "x-amz-signature", "signature", "awsaccesskeyid"})


@dataclass(frozen=True, kw_only=True)
class UploadForm:
    """A form: its fields by lower-case name, the file's size, and where the object goes."""

    fields: Mapping[str, str]
    file_bytes: int
    bucket: str

    @property
    def key(self) -> str:
        """The object's key."""
        return self.fields.get("key", "")

    @property
    def policy(self) -> str:
        """The policy as it was signed, in base64."""
        return self.fields.get("policy", "")

    def claim(self) -> Claim | None:
        """Whose signature the policy is said to have; None when there is none. Raises `Refused`."""
        fields = self.fields
        if not self.policy:
            return None
        if "awsaccesskeyid" in fields:
            return Claim(
                form=Form.QUERY_V2,
                access_key_id=fields["awsaccesskeyid"],
                signature=fields.get("signature", ""),
                region="",
                service="s3",
                signed_at=0,
                session_token=fields.get("x-amz-security-token", ""),
            )
        names = {
            "X-Amz-Algorithm": "x-amz-algorithm",
            "X-Amz-Credential": "x-amz-credential",
            "X-Amz-Date": "x-amz-date",
            "X-Amz-Signature": "x-amz-signature",
            "X-Amz-Security-Token": "x-amz-security-token",
        }
        query = [(name, fields[field]) for name, field in names.items() if field in fields]
        return claim_of({}, {}, [*query, ("X-Amz-SignedHeaders", "-"), ("X-Amz-Expires", "604800")])

    def require_its_policy(self, now: float) -> None:
        """Raise `Refused` when the policy is over, or the form is not what it allows."""
        try:
            policy = json.loads(base64.b64decode(self.policy))
            ends = datetime.fromisoformat(policy["expiration"]).timestamp()
            conditions = list(policy["conditions"])
        except (ValueError, KeyError, TypeError):
            raise Refused(Kind.DENIED, "Invalid Policy: it is no JSON of a policy.") from None
        if now > ends:
            raise Refused(Kind.DENIED, "Invalid according to Policy: Policy expired.")
        named = {"bucket"}
        for condition in conditions:
            named |= self._require(condition)
        for field in self.fields:
            if field not in named | _NOT_IN_THE_POLICY and not field.startswith("x-ignore-"):
                raise Refused(
                    Kind.DENIED,
                    f"Invalid according to Policy: Extra input fields: {field}",
                )

    def _require(self, condition: Any) -> set[str]:
        """Hold one condition against the form; which field it is about."""
        if isinstance(condition, dict):
            triples = [("eq", f"${name}", value) for name, value in condition.items()]
        else:
            triples = [tuple(condition)] if len(condition) == 3 else [("", "", "")]
        named = set()
        for how, what, value in triples:
            if str(how).lower() == "content-length-range":
                fits = int(what) <= self.file_bytes <= int(value)
            else:
                name = str(what).removeprefix("$").lower()
                given = self.bucket if name == "bucket" else self.fields.get(name, "")
                starts = str(how).lower() == "starts-with" and given.startswith(str(value))
                fits = starts or (str(how).lower() == "eq" and given == str(value))
                named.add(name)
            if not fits:
                raise Refused(
                    Kind.DENIED,
                    "Invalid according to Policy: Policy Condition failed: "
                    f"{json.dumps(condition)[:200]}",
                )
        return named


def upload_form(environ: dict[str, Any], body: bytes, wire: Wire) -> UploadForm | None:
    """The form in a request's body; None when the request is no upload by a form."""
    kind = environ.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
    bucket = wire.bucket_in_host or wire.path.strip("/")
    if wire.method != "POST" or kind != "multipart/form-data" or not bucket or "/" in bucket:
        return None
    request = Request({**environ, "wsgi.input": io.BytesIO(body)})
    request.max_form_memory_size = len(body) + 1
    file = request.files.get("file")
    fields = {name.lower(): value for name, value in request.form.items()}
    size = len(fields.get("file", "").encode()) if file is None else len(file.stream.read())
    key = fields.get("key", "")
    if file is not None and "${filename}" in key:
        fields["key"] = key.replace("${filename}", file.filename or "")
    return UploadForm(fields=fields, file_bytes=size, bucket=bucket)
