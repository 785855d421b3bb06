"""Rules on a template itself: names that lead nowhere, cycles, limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import product

from local_aws.suggest import did_you_mean, nearest
from local_aws.template import PSEUDO_PARAMETERS, Evaluator, Names, is_ssm_value
from sagemaker_serving.catalog.properties import resource_attributes
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.template import Mention, TemplateFacts

_REFERENCE = "AWS CloudFormation template reference, intrinsic functions"
_ANATOMY = "AWS CloudFormation user guide, template sections"
_REGISTRY = "CloudFormation's registry in cfn-lint"
_QUOTAS = "AWS CloudFormation user guide, quotas"

_NEEDS = ("Ref", "Fn::Sub", "Fn::GetAtt", "DependsOn")
_MOST = {"Resources": 500, "Parameters": 200, "Outputs": 200, "Mappings": 200}
_ID = re.compile(r"[A-Za-z0-9]{1,255}")


@rule(source=_REFERENCE, example="!Ref Modle")
def template_reference(template: TemplateFacts) -> Iterator[Finding]:
    """Ref, GetAtt, Sub and DependsOn name what the template has.

    CloudFormation refuses the template. Names that a macro, a module or a loop could make pass
    unjudged.
    """
    if template.macros:
        return
    resources, parameters = template.sections["Resources"], template.sections["Parameters"]
    for mention in template.mentions:
        if mention.function in ("Ref", "Fn::Sub") and not mention.keys:
            in_conditions = mention.owner[0] == "Conditions"
            known = {*parameters, *PSEUDO_PARAMETERS, *(() if in_conditions else resources)}
            what = "parameter" if in_conditions else "resource or parameter"
        elif mention.function in ("Fn::GetAtt", "Fn::Sub", "DependsOn"):
            known, what = set(resources), "resource"
        else:
            continue
        if mention.name not in known:
            yield mention.finding(_nowhere(mention, what, known))


@rule(source=_REGISTRY, example="!GetAtt Model.ModelNmae")
def template_attribute(template: TemplateFacts) -> Iterator[Finding]:
    """GetAtt and Sub name an attribute that the resource's type has.

    CloudFormation refuses the template. Without a copy of CloudFormation's schemas only SageMaker's
    types are judged. What a nested stack or a product puts out passes, and so do custom resources.
    """
    resources = template.sections["Resources"]
    for mention in template.mentions:
        if mention.function not in ("Fn::GetAtt", "Fn::Sub") or mention.name not in resources:
            continue
        kind = resources[mention.name].get("Type").text
        known = () if kind is None else template.attributes(kind) or resource_attributes(kind)
        for key in mention.keys[:1] if known else ():
            name = key.partition(".")[0] if isinstance(key, str) else ""
            if name and name not in (*known, "Id"):
                meant = did_you_mean(name, known, "?") or f"it has {', '.join(known)}"
                yield mention.finding(f"{kind} has no attribute {name!r}; {meant}")


@rule(source=_ANATOMY, example="Condition: IsPord")
def template_condition(template: TemplateFacts) -> Iterator[Finding]:
    """A condition that something names is declared below Conditions.

    CloudFormation refuses the template.
    """
    known = set(template.sections["Conditions"])
    for mention in template.mentions:
        used = mention.function in ("Condition", "Fn::If")
        if used and mention.name not in known and not template.macros:
            yield mention.finding(_nowhere(mention, "condition", known))


@rule(source=_REFERENCE, example="!FindInMap [Sizes, produ, type]")
def template_mapping(template: TemplateFacts) -> Iterator[Finding]:
    """FindInMap names a map that is there, and keys that it has.

    The deploy fails where no DefaultValue stands beside them. A parameter as a key has its default,
    and each of its allowed values; AWS::Region is the region that is deployed to, where one is
    given.
    """
    maps = template.sections["Mappings"]
    for mention in template.mentions:
        if mention.function != "Fn::FindInMap" or template.macros:
            continue
        found = maps.get(mention.name)
        if found is None:
            yield mention.finding(_nowhere(mention, "mapping", maps))
            continue
        if len(mention.keys) == 2:
            usual = [_usual(key, template) for key in mention.keys]
            by_default = _missed(found, tuple(default for _, default, _ in usual))
            each = [_missed(found, keys) for keys in product(*(values for *_, values in usual))]
            regional = "AWS::Region" in repr(mention.keys)
            if all(each) and not (regional and not mention.certain):
                yield mention.finding(f"{mention.name} has {by_default or each[0]}")
            elif by_default and mention.certain:
                names = " and ".join(name for name, *_ in usual if name)
                yield mention.finding(f"by default of {names}, {mention.name} has {by_default}")


def _usual(key: object, template: TemplateFacts) -> tuple[str, object, list[object]]:
    """The parameter that a key is, or ""; the key by default; and all that it may be."""
    whole = key.get("Fn::Sub") if isinstance(key, dict) else None
    alone = re.fullmatch(r"\$\{([A-Za-z0-9]+)\}", whole) if isinstance(whole, str) else None
    name = alone[1] if alone else key.get("Ref") if isinstance(key, dict) else None
    parameter = template.sections["Parameters"].get(name) if isinstance(name, str) else None
    if parameter is None or is_ssm_value(str(parameter.get("Type").value)):
        known = Names({} if template.region is None else {"AWS::Region": template.region})
        value = Evaluator(known, mappings={}, conditions={}, tolerant=True).evaluate(key)
        return "", value, [value]
    allowed = [one.value for one in parameter.get("AllowedValues").items()]
    default = parameter.get("Default")
    return str(name), default.value if default.given else key, allowed or [key]


def _missed(found: Fact, keys: tuple[object, ...]) -> str | None:
    """What a map lacks of two keys; None where it has both, or a key is not known."""
    here = found.value
    for key in keys:
        if not isinstance(key, str) or not isinstance(here, dict):
            return None
        if key not in here:
            return f"no key {key!r} there; it has {', '.join(sorted(map(str, here)))}"
        here = here[key]
    return None


@rule(source=_ANATOMY, example="A: {DependsOn: B}, B: {DependsOn: A}")
def template_cycle(template: TemplateFacts) -> Iterator[Finding]:
    """Resources don't depend on each other in a circle.

    CloudFormation refuses the template. Circles that a condition may open pass unjudged, and so do
    those of a macro's resources: SAM makes several of one, and the circle may be between two.
    """
    if template.macros:
        return
    edges: dict[str, dict[str, Mention]] = {name: {} for name in template.sections["Resources"]}
    for mention in template.mentions:
        section, name = mention.owner
        needs = mention.certain and mention.function in _NEEDS
        if section == "Resources" and needs and mention.name in edges:
            edges[name].setdefault(mention.name, mention)
    circle = _circle(edges)
    if circle:
        mention = edges[circle[0]][circle[1 % len(circle)]]
        yield mention.finding(
            f"{' needs '.join((*circle, circle[0]))}: none of them can be made first; take one of "
            "these references away"
        )


@rule(source=_QUOTAS, example="a template of 501 resources")
def template_limit(template: TemplateFacts) -> Iterator[Finding]:
    """A template has at most 500 resources, 200 parameters, 200 outputs and 200 mappings.

    A mapping has 200 keys at a level, a file 1 MiB, a description 1,024 bytes. Names are up to 255
    letters and digits; those of conditions pass, as published templates have others. CloudFormation
    refuses more.
    """
    for section, most in _MOST.items():
        declared = template.sections[section]
        if len(declared) > most:
            yield (
                template.where / section,
                f"there are {len(declared)} {section.lower()}; a template has at most {most}; "
                "move some into a nested stack",
            )
    for section in ("Resources", "Parameters", "Outputs", "Mappings"):
        for name, declared_as in template.sections[section].items():
            if not _ID.fullmatch(name) and not name.startswith("Fn::"):
                yield declared_as.finding(
                    f"{name!r} is no logical id; it is made of 1 to 255 letters and digits"
                )
    for name, mapping in template.sections["Mappings"].items():
        most = max((inner.size or 0 for _, inner in mapping.entries()), default=0)
        if max(most, mapping.size or 0) > 200:
            yield mapping.finding(f"the mapping {name} has over 200 keys at one level; split it")
    if template.size > 1_048_576:
        yield template.document.finding(
            f"the template has {template.size} bytes; at most 1 MiB are allowed; move some of it "
            "into a nested stack"
        )
    if template.document.get("Resources").size == 0 and not template.macros:
        yield template.document.finding("the template has no resources; it needs one")
    text = template.description.text
    if text is not None and len(text.encode()) > 1024:
        yield template.description.finding(
            f"Description has {len(text.encode())} bytes; at most 1,024 are allowed; shorten it"
        )


def _nowhere(mention: Mention, what: str, known: Iterable[str]) -> str:
    near = nearest(mention.name, known)
    meant = f"; did you mean {near}?" if near else "; add it, or correct the name"
    return f"{mention.function} names {mention.name!r}, and there is no such {what}{meant}"


def _circle(edges: dict[str, dict[str, Mention]]) -> list[str]:
    """The names of one circle in order; empty where there is none."""
    done: set[str] = set()
    for start in edges:
        path: list[str] = []
        waiting: list[tuple[str, Iterator[str]]] = [(start, iter(edges[start]))]
        path.append(start)
        while waiting and start not in done:
            name, others = waiting[-1]
            other = next((one for one in others if one not in done), None)
            if other is None:
                done.add(name)
                waiting.pop()
                path.pop()
            elif other in path:
                return path[path.index(other) :]
            else:
                path.append(other)
                waiting.append((other, iter(edges[other])))
    return []
