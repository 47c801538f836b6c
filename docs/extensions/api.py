"""The reference of the Python interface: every public class and function, from its docstring.

At every build the page ``reference/api/PACKAGE`` gets an entry for everything that ``road.PACKAGE``
exports, or, where it exports nothing, for everything public that its modules define. The page
``reference/python`` gets what ``road`` itself exports.
"""

import ast
import inspect
import pkgutil
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

FOLDER = "reference/api/"
TOP = "reference/python"
SOURCE = Path(import_module("road").__path__[0])
UNREADABLE = "road.integrations"
"""Needs libraries of other environments: described from its text alone."""
Definition: TypeAlias = ast.ClassDef | ast.FunctionDef | ast.Assign | ast.AnnAssign
CLASS = ".. autoclass:: {}\n   :members:"
FUNCTION = ".. autofunction:: {}"


def exports(package: str) -> set[str]:
    return {name for name in getattr(import_module(package), "__all__", ()) if name[0] != "_"}


def page(package: str) -> str:
    """Markdown: what comes from elsewhere, then a section for each module with definitions."""
    exported = exports(package)
    modules = [package] if package == "road" else list(modules_of(package))
    found: dict[str, dict[str, Definition]] = {}
    for module in modules:  # an exported name is described once, where it is defined first
        known = {name for defined in found.values() for name in defined} if exported else set[str]()
        own = definitions(module, exported)
        found[module] = {name: node for name, node in own.items() if name not in known}
    elsewhere = exported - {name for defined in found.values() for name in defined}
    parts = [borrowed(package, sorted(elsewhere))]
    parts += [section(module, package, found[module], exported) for module in modules]
    return "\n\n".join(part for part in parts if part)


def modules_of(name: str) -> Iterator[str]:
    """The module itself, and those in it."""
    yield name
    found = find_spec(name)
    if found is not None and found.submodule_search_locations:
        inside = pkgutil.walk_packages(found.submodule_search_locations, f"{name}.", onerror=print)
        yield from (each.name for each in inside)


def definitions(module: str, exported: set[str]) -> dict[str, Definition]:
    """The public classes and functions of a module; of a package that exports names, only those."""
    found: dict[str, Definition] = {}
    for node in parse(module).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            name = node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign) and exported:
            name = ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
        else:
            continue
        if name in exported or not (exported or name.startswith("_")):
            found[name] = node
    return found


def section(
    module: str, package: str, defined: dict[str, Definition], exported: set[str]
) -> str:  # fmt: skip
    home = package if exported else module
    taken = set[str]() if exported else exports("road")
    named = {name: node for name, node in defined.items() if name not in taken}
    if not named:
        return ""
    if package == UNREADABLE:
        body = "\n\n".join(from_text(f"{home}.{name}", node) for name, node in named.items())
    else:
        body = "\n\n".join(entry(module, home, name, node) for name, node in named.items())
    return f"## {module.removeprefix('road.')}\n\n{head(module)}\n\n{restructured(body)}"


def entry(module: str, home: str, name: str, node: Definition) -> str:
    if isinstance(node, ast.ClassDef):
        return CLASS.format(f"{home}.{name}")
    if isinstance(node, ast.FunctionDef):
        return FUNCTION.format(f"{home}.{name}")
    return "\n".join([f".. py:data:: {home}.{name}", "", *indented(text_below(module, node))])


def text_below(module: str, node: Definition) -> str:
    """The string under a constant, which says what it is."""
    body = parse(module).body
    after = next((two for one, two in pairwise(body) if one.lineno == node.lineno), None)
    if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
        return inspect.cleandoc(str(after.value.value))
    return ""


def borrowed(package: str, names: Iterable[str]) -> str:
    """What a package exports that another one defines: a link where that one exports it too."""
    here: list[str] = []
    there: list[str] = []
    for name in names:
        thing = getattr(import_module(package), name)
        owner = ".".join(thing.__module__.split(".")[:2])
        if name in exports(owner):
            there.append(f"- `{package}.{name}`: {{py:obj}}`{owner}.{name}`")
        else:
            here.append(
                (CLASS if isinstance(thing, type) else FUNCTION).format(f"{package}.{name}")
            )
    body = restructured("\n\n".join(here)) if here else ""
    return "\n\n".join(part for part in (body, "\n".join(there)) if part)


def from_text(name: str, node: Definition) -> str:
    """A class or a function as its source has it, with its public methods."""
    if isinstance(node, ast.ClassDef):
        bases = ", ".join(map(ast.unparse, node.bases))
        lines = [f".. py:class:: {name}", "", *indented(f"Bases: ``{bases}``" if bases else "")]
        lines += indented(ast.get_docstring(node) or "")
        for inner in node.body:
            if isinstance(inner, ast.FunctionDef) and inner.name[0] != "_":
                lines += indented(from_text(inner.name, inner).replace("py:function", "py:method"))
        return "\n".join(lines)
    if not isinstance(node, ast.FunctionDef):
        return ""
    signature = f"{name}({ast.unparse(node.args)})"
    doc = indented(ast.get_docstring(node) or "")
    return "\n".join([f".. py:function:: {signature}", "", *doc])


def indented(text: str) -> list[str]:
    return [f"   {line}".rstrip() for line in text.splitlines()] + [""]


def head(module: str) -> str:
    """The first paragraph of a module's docstring."""
    return (ast.get_docstring(parse(module)) or "").split("\n\n")[0].replace("``", "`")


def restructured(body: str) -> str:
    return f"```{{eval-rst}}\n{body}\n```"


def parse(module: str) -> ast.Module:
    """The module's code, without importing it."""
    path = SOURCE.joinpath(*module.split(".")[1:])
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text("utf-8"))


def add_entries(app: Any, name: str, source: list[str]) -> None:
    del app
    if name == TOP:
        source[0] = f"{source[0].rstrip()}\n\n## road\n\n{page('road')}\n"
    elif name.startswith(FOLDER):
        package = f"road.{name.removeprefix(FOLDER)}"
        source[0] = f"{source[0].rstrip()}\n\n{page(package)}\n"


def setup(app: Any) -> dict[str, Any]:
    app.connect("source-read", add_entries)
    return {"parallel_read_safe": True, "version": "1"}
