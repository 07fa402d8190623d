"""What the text of a check says of its variables: where they are assigned, and what a turn of a loop has left."""

import ast
from collections.abc import Collection

CHANGING = "append appendleft add extend insert update setdefault pop popitem popleft remove discard clear".split()


def is_chain(function: ast.FunctionDef, name: str, values: list[ast.expr]) -> bool:
    """Whether a variable has its last value before it is read, but to assign it anew: x = f(n), then x = x / sum(x)."""
    if len(values) == 1:
        return True
    own = {id(each) for value in values for each in ast.walk(value)}
    reads = [each for each in ast.walk(function) if isinstance(each, ast.Name) and each.id == name]
    others = [each.lineno for each in reads if isinstance(each.ctx, ast.Load) and id(each) not in own]
    bodies = [getattr(node, "body", []) for node in ast.walk(function)]
    there = [
        [value for each in body for _, value in list_assignments(each)] for body in bodies if isinstance(body, list)
    ]
    together = any({*map(id, values)} <= {*map(id, body)} for body in there)
    return together and min(others, default=0) > max(value.lineno for value in values)


def list_assignments(node: ast.AST) -> list[tuple[ast.Name, ast.expr]]:
    """The variables that a statement assigns to, each with its own expression: x = 1, or x, y = 1, 2."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return []
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        pairs = list(zip(target.elts, value.elts, strict=True))
    else:
        pairs = [(target, value)]
    return pairs if all(isinstance(name, ast.Name) for name, _ in pairs) else []  # type: ignore[return-value]


def carries_on(loop: ast.For, local: Collection[str]) -> bool:
    """Whether what a loop yields depends on a local variable that an earlier turn has left, such as a running sum."""
    events = _Events()
    for part in (loop.target, *loop.body):
        events.visit(part)
    left = {name for name, is_read in events.first.items() if is_read and name in events.stored and name in local}
    needed, before = set(events.yielded), -1
    while len(needed) > before:
        before = len(needed)
        needed |= {read for targets, reads in events.assigned if targets & needed for read in reads}
    return not left.isdisjoint(needed)


class _Events(ast.NodeVisitor):
    """What the body of a loop reads and stores first, in the order in which it does so, and what its yields read."""

    def __init__(self) -> None:
        self.first: dict[str, bool] = {}  # name: whether it is read before it is stored
        self.stored: set[str] = set()
        self.yielded: set[str] = set()  # or asked by a condition
        self.assigned: list[tuple[set[str], set[str]]] = []

    def visit_Name(self, node: ast.Name) -> None:
        is_read = isinstance(node.ctx, ast.Load)
        self.first.setdefault(node.id, is_read)
        if not is_read:
            self.stored.add(node.id)

    def visit_Assign(self, node: ast.Assign | ast.AnnAssign | ast.NamedExpr) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if node.value is not None:
            self.visit(node.value)
        for target in targets:
            self.visit(target)
            if isinstance(target, ast.Subscript | ast.Attribute):
                self.change(target.value)
        self.assigned.append((find_names(*targets), find_names(*filter(None, [node.value]))))

    visit_AnnAssign = visit_NamedExpr = visit_Assign

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        self.change(node.target)
        self.assigned.append((find_names(node.target), find_names(node.value, node.target)))

    def visit_Call(self, node: ast.Call) -> None:
        """`terms.append(x)` and `next(terms)` change what an earlier turn has left; what is added is yielded."""
        self.generic_visit(node)
        is_method = isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING
        is_next = isinstance(node.func, ast.Name) and node.func.id == "next" and bool(node.args)
        if is_method or is_next:
            changed = node.func.value if isinstance(node.func, ast.Attribute) else node.args[0]
            self.change(changed)
            self.assigned.append((find_names(changed), find_names(*node.args)))
            self.yielded |= find_names(*node.args) if is_method else set()

    def visit_Expr(self, node: ast.Expr) -> None:
        """`learner.step()` and `update(state)` may change whatever they are given."""
        self.generic_visit(node)
        if isinstance(node.value, ast.Call) and getattr(node.value.func, "attr", "") not in CHANGING:
            self.change(node.value)

    def change(self, target: ast.AST) -> None:
        """Something that was there before is read, and stored anew."""
        for name in find_names(target):
            self.first.setdefault(name, True)
            self.stored.add(name)

    def visit_For(self, node: ast.For) -> None:
        self.visit(node.iter)
        self.visit(node.target)
        self.assigned.append((find_names(node.target), find_names(node.iter)))
        for statement in node.body:
            self.visit(statement)

    def visit_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        for part in (*node.generators, *([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])):
            self.visit(part)

    visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_ListComp

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for part in (node.iter, node.target, *node.ifs):
            self.visit(part)

    def visit_Yield(self, node: ast.Yield | ast.YieldFrom) -> None:
        self.yielded |= find_names(node)
        self.generic_visit(node)

    visit_YieldFrom = visit_Yield

    def visit_If(self, node: ast.If) -> None:
        self.yielded |= find_names(node.test)
        self.generic_visit(node)


def find_names(*nodes: ast.AST) -> set[str]:
    return {each.id for node in nodes for each in ast.walk(node) if isinstance(each, ast.Name)}


def find_read_outside(function: ast.AST) -> set[str]:
    """The variables that are read outside the loops, comprehensions and lambdas that bind them."""
    inside = {(id(each), name) for node in ast.walk(function) for name in _find_bound(node) for each in ast.walk(node)}
    names = [each for each in ast.walk(function) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)]
    return {each.id for each in names if (id(each), each.id) not in inside}


def _find_bound(node: ast.AST) -> set[str]:
    if isinstance(node, ast.For):
        return find_names(node.target)
    parts = [*getattr(node, "generators", []), getattr(node, "args", None)]
    inner = [each for part in parts if isinstance(part, ast.AST) for each in ast.walk(part)]
    return {name for each in inner for name in list_bound(each)}


def find_labels(function: ast.AST) -> set[str]:
    """The variables that are read for nothing but settings, `{"graph": name.upper()}`, and what an error says.

    A setting is the first value of a case, or a variable that is read for nothing else.
    """
    cases = [found for node in ast.walk(function) if (found := _find_case(node)) is not None]
    loads = [each for each in ast.walk(function) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)]
    first = {id(case.elts[0]) for case in cases}
    settings = {each.id for each in loads if id(each) in first} - {each.id for each in loads if id(each) not in first}
    shown = [case.elts[0] for case in cases]
    shown += [value for node in ast.walk(function) for name, value in list_assignments(node) if name.id in settings]
    errors = [each for each in ast.walk(function) if isinstance(each, ast.Raise)]
    labelling = [*errors, *(each for each in shown if isinstance(each, ast.Dict))]
    plain = {id(each) for top in labelling for each in ast.walk(top)}
    return {each.id for each in loads} - {each.id for each in loads if id(each) not in plain}


def _find_case(node: ast.AST) -> ast.Tuple | None:
    """The case, a tuple of a setting and its sides, that an expression yields, makes or appends."""
    match node:
        case (
            ast.Yield(ast.Tuple() as case)
            | ast.GeneratorExp(ast.Tuple() as case)
            | ast.ListComp(ast.Tuple() as case)
            | ast.Call(ast.Attribute(attr="append"), [ast.Tuple() as case])
        ):
            return case if case.elts else None
    return None


def list_bound(node: ast.AST) -> list[str]:
    """The names that a comprehension or a lambda binds."""
    if isinstance(node, ast.comprehension):
        return [one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)]
    return [node.arg] if isinstance(node, ast.arg) else []


def list_indexed(node: ast.AST) -> list[str]:
    """The names of which an expression takes an item, `ns` of `ns[i]`."""
    found = [each.value for each in ast.walk(node) if isinstance(each, ast.Subscript)]
    return [each.id for each in found if isinstance(each, ast.Name)]
