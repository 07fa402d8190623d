"""The code hash of a claim: what its stored results depend on.

It covers the trial function, everything of its own module that it names (transitively), and every bounds/ and
mechanisms/ module that these name, with all that those import. Comments and layout do not count. A bound that
only enters when results are folded is not named by the trial, so editing it folds the old results anew.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
from pathlib import Path

import numpy
import scipy

PACKAGES = ("bounds", "mechanisms", "experiments")
# The engine shapes no raw result: it hands out generators and folds. The attack game and the data do shape them.
ENGINE = tuple(f"experiments.{m}" for m in ("claim", "verdict", "run", "store", "ledger", "fingerprint", "topics"))


@functools.cache
def _parsed(module):
    spec = importlib.util.find_spec(module)
    return ast.parse(Path(spec.origin).read_text())


def _ours(module):
    return module.split(".")[0] in PACKAGES and module not in ENGINE


def _is_module(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _imports(tree):
    """{local name: module of ours that it comes from}."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and _ours(node.module):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found[alias.asname or alias.name] = inner if _is_module(inner) else node.module
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if _ours(alias.name):
                    found[(alias.asname or alias.name).split(".")[0]] = alias.name
    return {name: module for name, module in found.items() if _ours(module)}


def _definitions(tree):
    """{top-level name: the node that defines it}."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                for name in ast.walk(target):
                    if isinstance(name, ast.Name):
                        found[name.id] = node
    return found


def _body(node):
    """A definition without its decorators: a claim's caps and settings do not change a chunk's raw results."""
    if isinstance(node, ast.FunctionDef) and node.decorator_list:
        bare = ast.parse(ast.unparse(node)).body[0]
        kept = [d for d in node.decorator_list if "claim" not in ast.unparse(d).split("(")[0]]
        bare.decorator_list = kept
        return bare
    return node


@functools.cache
def _module_text(module):
    """The whole of a module and of every module of ours that it imports."""
    seen, queue, texts = {module}, [module], []
    while queue:
        tree = _parsed(queue.pop())
        texts.append(ast.unparse(tree))
        for other in sorted(set(_imports(tree).values()) - seen):
            seen.add(other)
            queue.append(other)
    return "\n".join(sorted(texts))


def _reach(module, name):
    """The definitions of `module` that `name` reaches, and the modules of ours that these name."""
    tree = _parsed(module)
    definitions, imports = _definitions(tree), _imports(tree)
    seen, queue, modules = {}, [name], set()
    while queue:
        current = queue.pop()
        if current in seen or current not in definitions:
            continue
        node = _body(definitions[current])
        seen[current] = ast.unparse(node)
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name):
                queue.append(inner.id)
                if inner.id in imports:
                    modules.add(imports[inner.id])
    return seen, modules


@functools.cache
def code_hash(module, name):
    """16 hex digits for the trial function `name` of `module`."""
    seen, modules = _reach(module, name)
    parts = [f"{k}\n{seen[k]}" for k in sorted(seen)] + [_module_text(m) for m in sorted(modules)]
    for library in (numpy, scipy):
        parts.append(".".join(library.__version__.split(".")[:2]))
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=8).hexdigest()


def of_claim(claim):
    """The code hash under which the chunks of `claim` are stored."""
    parts = code_hash(claim.trial.__module__, claim.trial.__name__)
    if claim.style == "attack":
        parts += code_hash("experiments.audit", "attacker")
    return parts
