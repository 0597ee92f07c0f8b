"""Every async test runs on asyncio, uvloop and trio, and leaves no descriptor, thread or task behind."""

from __future__ import annotations

import asyncio
import functools
import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import pytest
import trio.lowlevel
from blockbuster import blockbuster_ctx
from files import start_pools
from leaks import LEAK_LIMIT_S, Census
from loops import LOOPS


@pytest.fixture(params=LOOPS)
def anyio_backend(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def run_loop(anyio_backend_name: str, anyio_backend_options: dict[str, Any]) -> Callable[..., Any]:
    """Runs a coroutine function in a loop of its own, from a test that is not one."""
    return functools.partial(anyio.run, backend=anyio_backend_name, backend_options=anyio_backend_options)


@pytest.fixture(scope="session", autouse=True)
def warm_loops() -> None:
    """Whatever a loop opens once in a process is open before the first census."""
    for parameter in LOOPS:
        ((name, options),) = parameter.values
        anyio.run(anyio.sleep, 0, backend=name, backend_options=options)


@pytest.fixture(scope="session", autouse=True)
def warm_pools() -> None:
    """Threads that other libraries keep for good are there before the first census."""
    start_pools()


PASSED = pytest.StashKey[bool]()


@pytest.fixture(autouse=True)
def no_leaks(request: pytest.FixtureRequest) -> Iterator[None]:
    """Descriptors and threads are back at the base after each test; a failed one keeps its frames, so all they hold."""
    base = Census.take()
    yield
    if PASSED in request.node.stash:
        base.expect_again(also_drainer=False)


@pytest.fixture(scope="module", autouse=True)
def drainer_retires() -> Iterator[None]:
    """No thread is left once a module's last subscription is closed."""
    base = Census.take()
    yield
    base.expect_again()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """Async tests: no task is left, and optap never blocks the loop."""
    test = pyfuncitem.obj
    if inspect.iscoroutinefunction(test):
        pyfuncitem.obj = _watched(test)
    try:
        result = yield
    finally:
        pyfuncitem.obj = test
    pyfuncitem.stash[PASSED] = True
    return result


def _watched(test: Callable[..., Any]) -> Callable[..., Any]:

    @functools.wraps(test)
    async def watched(*args: Any, **kwargs: Any) -> None:
        base = _task_count()
        # blockbuster looks for a running asyncio loop; it sees nothing under trio.
        with blockbuster_ctx("optap"):
            await test(*args, **kwargs)
        with anyio.move_on_after(LEAK_LIMIT_S):
            while _task_count() > base:  # noqa: ASYNC110 - tasks end without an event
                await anyio.sleep(0.01)
        assert _task_count() <= base, "the test left tasks behind"

    return watched


def _task_count() -> int:
    try:
        return len(asyncio.all_tasks())
    except RuntimeError:
        return trio.lowlevel.current_statistics().tasks_living


@pytest.fixture
def unclosed() -> Iterator[list[str]]:
    """The texts of the ResourceWarnings of a test that leaves subscriptions open."""
    texts: list[str] = []

    def note(message: Warning | str, category: type[Warning], *_: Any) -> None:
        assert issubclass(category, ResourceWarning), message
        texts.append(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = note
        yield texts
