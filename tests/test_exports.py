"""What is public, and which way the parts depend on each other."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import optap
import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "python" / "optap"

ASYNC_LAYER = {"_mailbox", "device", "model", "stream", "subscription", "batches", "session", "annotate", "testing"}
"""The modules that may name anyio."""

ALLOWED = {
    "record": set(),
    "ring": set(),
    "runtime": {"record"},
    "engine": {"runtime"},
    "profiler": {"runtime", "ring", "record"},
    "export": {"record"},
    "summary": {"record"},
    "session": {"record", "ring", "runtime", "profiler", "export"},
}
"""Which crates each crate may depend on; optap-py and optap-acl stand at the end of the line."""

PUBLIC = [name for name in vars(optap) if not name.startswith("_") and not inspect.ismodule(getattr(optap, name))]


def modules() -> Iterator[ModuleType]:
    yield optap
    for found in pkgutil.walk_packages(optap.__path__, "optap."):
        if not found.name.endswith(("._core", "__main__")):
            yield importlib.import_module(found.name)


MODULES = list(modules())


def defined_in(module: ModuleType) -> list[tuple[str, object]]:
    """The public names of `module` that are its own."""
    listed = getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")])
    return [(name, getattr(module, name)) for name in listed]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_what_a_module_lists_is_there(module: ModuleType) -> None:
    missing = [name for name in getattr(module, "__all__", ()) if not hasattr(module, name)]
    assert not missing


def test_the_package_lists_its_public_names() -> None:
    assert sorted(optap.__all__) == sorted(PUBLIC)


def described() -> set[str]:
    """Every name that a page of the API describes, by itself or with its module."""
    pages = "".join(page.read_text("utf-8") for page in (ROOT / "docs" / "api").glob("*.md"))
    names = set()
    for path in re.findall(r"^::: ([\w.]+)", pages, re.MULTILINE):
        module = sys.modules.get(path)
        names |= set(module.__all__) if module else {path.rpartition(".")[2]}
    return names


@pytest.mark.parametrize("name", PUBLIC)
def test_each_public_name_has_its_place_in_the_pages(name: str) -> None:
    assert name in described()


@pytest.mark.parametrize("name", PUBLIC)
def test_each_public_name_is_documented(name: str) -> None:
    value = getattr(optap, name)
    if inspect.isclass(value) or inspect.isroutine(value):
        assert inspect.getdoc(value), f"optap.{name} has no docstring"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_each_module_class_and_function_is_documented(module: ModuleType) -> None:
    assert module.__doc__, f"{module.__name__} has no docstring"
    bare = [name for name, value in defined_in(module) if _is_ours(value) and not inspect.getdoc(value)]
    assert not bare


@pytest.mark.parametrize("name", PUBLIC)
def test_each_method_is_documented(name: str) -> None:
    value = getattr(optap, name)
    if not inspect.isclass(value):
        return
    members = {key: member for key, member in vars(value).items() if not key.startswith("_") and is_code(member)}
    bare = [key for key, member in members.items() if not inspect.getdoc(member)]
    assert not bare, f"optap.{name}: {bare}"


def is_code(member: object) -> bool:
    """Fields are documented by their class."""
    return inspect.isroutine(member) or isinstance(member, property) or inspect.isgetsetdescriptor(member)


def _is_ours(value: object) -> bool:
    is_code = inspect.isclass(value) or inspect.isfunction(value)
    return is_code and str(getattr(value, "__module__", "")).startswith("optap")


def python_files() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def imports(path: Path) -> set[str]:
    """Full names of what a file imports, wherever in the file."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    return names


def layer(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", python_files(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_the_async_layer_and_the_command_name_anyio(path: Path) -> None:
    loops = {name.partition(".")[0] for name in imports(path)} & {"anyio", "asyncio", "trio", "uvloop", "sniffio"}
    allowed = {"anyio"} if layer(path) in ASYNC_LAYER | {"cli"} else set()
    if layer(path) == "_cancellation":  # anyio does not tell what a task of asyncio was asked
        allowed = {"asyncio"}
    assert loops <= allowed


@pytest.mark.parametrize("path", sorted(PACKAGE.glob("acl/**/*.py")) or [PACKAGE], ids=lambda path: path.name)
def test_the_acl_names_never_reach_the_async_layer(path: Path) -> None:
    named = imports(path) if path.is_file() else set()
    reached = {name.split(".")[1] for name in named if name.startswith("optap.")} & ASYNC_LAYER
    assert not reached


@pytest.mark.parametrize("path", python_files(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_file_outgrows_a_reader(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 320


def manifests() -> dict[str, dict[str, dict[str, object]]]:
    found = {}
    for path in ROOT.glob("rust/*/Cargo.toml"):
        found[path.parent.name] = tomllib.loads(path.read_text())
    return found


MANIFESTS = manifests()


def dependencies(crate: str) -> set[str]:
    """What the crate itself needs; its tests and benches may need more."""
    return set(MANIFESTS[crate].get("dependencies", {}))


@pytest.mark.parametrize("crate", sorted(ALLOWED))
def test_crates_depend_one_way(crate: str) -> None:
    ours = {name.removeprefix("optap-") for name in dependencies(crate) if name.startswith("optap-")}
    assert ours <= ALLOWED[crate]


@pytest.mark.parametrize("foreign", ["pyo3", "tract"])
def test_a_heavy_dependency_stands_in_one_crate(foreign: str) -> None:
    homes = {crate for crate in MANIFESTS if any(name.startswith(foreign) for name in dependencies(crate))}
    assert homes == {{"pyo3": "py", "tract": "engine"}[foreign]}


def test_the_package_needs_no_more_than_it_says() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {requirement.split(">")[0] for requirement in project["dependencies"]}
    assert needed == {"anyio", "numpy"}
