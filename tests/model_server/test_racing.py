from __future__ import annotations

import asyncio

import pytest

from sagemaker_serving.model_server.racing import all_of, first_of


async def fail() -> None:
    raise ValueError("failed")


class Endless:
    """Runs until it is cancelled, and says whether it was."""

    ended = False

    async def run(self) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            self.ended = True


def test_the_first_to_end_ends_the_others() -> None:
    other = Endless()

    async def work() -> None:
        await first_of(asyncio.sleep(0), other.run())

    asyncio.run(work())
    assert other.ended


def test_the_first_to_fail_ends_the_others_and_is_raised() -> None:
    others = Endless(), Endless()

    async def work() -> None:
        with pytest.raises(ValueError, match="failed"):
            await first_of(others[0].run(), fail())
        with pytest.raises(ValueError, match="failed"):
            await all_of(others[1].run(), fail())

    asyncio.run(work())
    assert others[0].ended
    assert others[1].ended


def test_all_are_waited_for() -> None:
    ended: list[int] = []

    async def one(number: int) -> None:
        await asyncio.sleep(0)
        ended.append(number)

    async def work() -> None:
        await all_of(one(1), one(2))

    asyncio.run(work())
    assert ended == [1, 2]
