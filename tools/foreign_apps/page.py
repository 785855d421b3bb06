"""What came of the apps, as a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tools.foreign_apps.journey import Outcome

_TEXT = """\
# Apps that others wrote

Public CDK apps were run on the local AWS unchanged: synthesized, deployed, called, updated (a tag)
and destroyed. `python -m tools.foreign_apps FOLDER --page {page}` writes this page. They are
{tried} of aws-samples/aws-cdk-examples, in Python and TypeScript, and not part of this repository.
What they import was installed beside them, in versions that they allow. Where the local AWS was
started stood the clients of the AWS SDK that functions on AWS find.

| Result | Apps |
|---|---:|
| Synthesized | {synthesized} |
| Deployed, updated and destroyed, nothing left | {whole} |
| of these: each of its functions, queues, tables, buckets and APIs answered as on AWS | {working} |
| of these: nothing in it answers requests; it is made, described and deleted | {unasked} |
| Refused, with a reason | {refused} |
| Not synthesized | {broken} |

"Answered as on AWS" means that stored data can be read, a function's own code ran, and each method
of an API reached its integration. The app's own error for an empty request counts as an answer. So
does code that the app does not bring or that cannot be parsed: it fails on AWS, too.

## Deployed, updated, destroyed

| App | Requests | Answers |
|---|---:|---|
{rows}

## Refused

| App | Where | Why |
|---|---|---|
{reasons}

## Not synthesized

These apps need another version of a library, or a library that is not installed here.

| App | Why |
|---|---|
{unread}
"""


def page(outcomes: Sequence[Outcome]) -> str:
    """The page, apps in the order of their names."""
    whole = [each for each in outcomes if each.failed is None]
    unread = [each for each in outcomes if each.failed and each.failed[0] == "not synthesized"]
    refused = [each for each in outcomes if each.failed and each not in unread]
    counts = Counter(bool(each.answers) for each in whole)
    return _TEXT.format(
        page="docs/foreign-apps.md",
        tried=len(outcomes),
        synthesized=len(outcomes) - len(unread),
        whole=len(whole),
        working=sum(each.works for each in whole),
        unasked=counts[False],
        refused=len(refused),
        broken=len(unread),
        rows="\n".join(_row(each) for each in whole),
        reasons="\n".join(
            f"| {each.name} | {each.failed[0]} | {_cell(each.failed[1])} |"
            for each in refused
            if each.failed
        ),
        unread="\n".join(
            f"| {each.name} | {_cell(each.failed[1])} |" for each in unread if each.failed
        ),
    )


def _row(outcome: Outcome) -> str:
    wrong = "; ".join(_cell(str(each)) for each in outcome.answers if not each.right)
    said = wrong or ("as on AWS" if outcome.answers else "nothing to ask")
    return f"| {outcome.name} | {len(outcome.answers)} | {said} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")[:300]
