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
ENGINE = tuple(
    f"experiments.engine.{m}" for m in ("claim", "verdict", "run", "store", "ledger", "fingerprint", "registry")
)

# What stands in these decorators (caps, settings, notes) changes no raw result; other decorators count as code.
PLAIN_CLAIMS = ("tail_claim", "cluster_claim", "mean_claim", "rate_claim", "exact_claim", "attack_claim")


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


@functools.cache
def _imports(module):
    """{local name: module of ours that it comes from}."""
    found = {}
    for node in ast.walk(_parsed(module)):
        if isinstance(node, ast.ImportFrom) and node.module and _ours(node.module):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found[alias.asname or alias.name] = inner if _is_module(inner) else node.module
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if _ours(alias.name):
                    found[(alias.asname or alias.name).split(".")[0]] = alias.name
    return {name: source for name, source in found.items() if _ours(source)}


@functools.cache
def _definitions(module):
    """{top-level name: (the text that defines it, the names in that text)}."""
    found = {}
    for node in _parsed(module).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            targets = [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            ends = node.targets if isinstance(node, ast.Assign) else [node.target]
            targets = [name.id for end in ends for name in ast.walk(end) if isinstance(name, ast.Name)]
        else:
            continue
        body = _body(node)
        entry = ast.unparse(body), [inner.id for inner in ast.walk(body) if isinstance(inner, ast.Name)]
        found |= dict.fromkeys(targets, entry)
    return found


def _body(node):
    """A definition without its decorators: a claim's caps and settings do not change a chunk's raw results."""
    if isinstance(node, ast.FunctionDef) and node.decorator_list:
        bare = ast.parse(ast.unparse(node)).body[0]
        kept = [d for d in node.decorator_list if ast.unparse(d).split("(")[0].split(".")[-1] not in PLAIN_CLAIMS]
        bare.decorator_list = kept
        return bare
    return node


@functools.cache
def _text(module):
    return ast.unparse(_parsed(module))


@functools.cache
def _module_text(module):
    """The whole of a module and of every module of ours that it imports."""
    seen, queue = {module}, [module]
    while queue:
        new = set(_imports(queue.pop()).values()) - seen
        seen |= new
        queue += new
    return "\n".join(_text(each) for each in sorted(seen))


def _reach(module, name):
    """The definitions of `module` that `name` reaches, and the modules of ours that these name."""
    definitions, imports = _definitions(module), _imports(module)
    seen, queue, modules = {}, [name], set()
    while queue:
        current = queue.pop()
        if current in seen or current not in definitions:
            continue
        seen[current], names = definitions[current]
        queue += names
        modules |= {imports[inner] for inner in names if inner in imports}
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
    if claim.by:
        parts += code_hash(claim.by.__module__, claim.by.__name__)
    if claim.style == "attack":
        parts += code_hash("experiments.engine.audit", "attacker")
    return parts
