"""The accounts that are here, each with every service of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from local_aws.context import LocalContext
from local_aws.errors import Mistake
from local_aws.own_services import own_services
from local_aws.permissions.identities import Developer
from local_aws.resources import ResourceTypes
from local_aws.service import SERVICES, Service, ServiceFactory
from local_aws.state.saver import Part, StateSaver


class AccountServices:
    """The first account and those that are opened after it.

    ``factories`` make the services that are not of the local AWS itself. Each service's part of
    the state is added to ``saver``. Raises `Mistake` for a service that cannot be made.
    """

    def __init__(
        self, context: LocalContext, factories: Iterable[ServiceFactory], saver: StateSaver
    ) -> None:
        self._factories = list(factories)
        self._saver = saver
        self._by_id: dict[str, Account] = {}
        self._runs = False
        self._open(context)
        self.home = self._by_id[context.account_id]
        context.accounts.opened = self._open
        for account in context.known_accounts():
            context.open_account(account)

    def __getitem__(self, account_id: str) -> Account:
        return self._by_id[account_id]

    def __contains__(self, account_id: str) -> bool:
        return account_id in self._by_id

    def __len__(self) -> int:
        return len(self._by_id)

    def every_service(self) -> list[Service]:
        """Those of all accounts."""
        return [each for account in self._now() for each in account.services.values()]

    def developers(self) -> list[Developer]:
        """Whom each account's own credentials belong to."""
        return [each.context.developer for each in self._now()]

    def start(self) -> None:
        """Start every service, and from now on those of each account that is opened."""
        self._runs = True
        for service in self.every_service():
            service.start()

    def status(self) -> dict[str, Any]:
        """What each service says (``stacks``, …); ``accounts`` has the same of further ones."""
        home, *others = self._now()
        found = home.status()
        if others:
            found["account"] = home.context.account_id
            found["accounts"] = {each.context.account_id: each.status() for each in others}
        return found

    def _open(self, context: LocalContext) -> None:
        """Have its services, and tell those that need it what all of them can do."""
        types = ResourceTypes()
        services = _by_name(
            *own_services(context, types, self._saver.changed),
            *(each for make in self._factories for each in make(context, self._saver.changed)),
        )
        for service in services.values():
            types.add(service.resource_types())
            context.integrations.add(service.integrations())
            known = service.permissions
            if known is not None and known.document_of is not None:
                own = (context.account_id, known.prefix)
                context.evaluator.take_policies_from(*own, known.document_of)
        of = f"{context.account_id}." if self._by_id else ""
        parts = {f"{of}{name}": each for name, each in services.items() if isinstance(each, Part)}
        self._saver.add(parts)
        for service in services.values() if self._runs else ():
            service.start()
        self._by_id[context.account_id] = Account(context, types, services)

    def _now(self) -> list[Account]:
        return list(self._by_id.values())


@dataclass(frozen=True)
class Account:
    """One account: its services, and what its CloudFormation can deploy."""

    context: LocalContext
    types: ResourceTypes
    services: Mapping[str, Service]

    def status(self) -> dict[str, object]:
        """What each service says."""
        return {
            name: each
            for service in self.services.values()
            for name, each in service.status().items()
        }


def installed() -> list[ServiceFactory]:
    """What every distribution that is installed here brings. Raises `Mistake`."""
    return [_loaded(found) for found in entry_points(group=SERVICES)]


def _by_name(*services: Service) -> dict[str, Service]:
    return {service.name: service for service in services}


def _loaded(found: EntryPoint) -> ServiceFactory:
    try:
        factory: ServiceFactory = found.load()
    except ImportError as error:
        owner = found.value if found.dist is None else found.dist.name
        raise Mistake(
            f"{owner} is installed here and has the service '{found.name}', which cannot be "
            f"loaded: {error}; install what {owner} needs for it, or uninstall {owner}"
        ) from None
    return factory
