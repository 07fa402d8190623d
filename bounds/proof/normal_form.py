"""Normal forms: an expression as a quotient of polynomials in variables, roots, exponentials, logarithms and such.

Equal expressions mostly have equal normal forms: log(a b) = log a + log b, e^(a+b) = e^a e^b, sqrt(a)^2 = a, where the
parts are positive. Sums are factored over the rationals (python-flint), so that a difference of equal expressions is 0
and a square is seen as one. Coefficients are rational: nothing is rounded.
"""

import functools
from collections.abc import Iterable
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple, Protocol

from flint import Ordering, fmpq, fmpq_mpoly_ctx, fmpz

from lemmata.bounds.proof import expression as of
from lemmata.bounds.proof.expression import Expression, NotGeneric, number, walk

Monomial = tuple[tuple[Expression, Fraction], ...]  # atoms with their exponents, in the order of their texts
Polynomial = dict[Monomial, Fraction]
ONE: Polynomial = {(): Fraction(1)}
MOST = 400  # terms of a polynomial


class Signs(Protocol):
    """What is known of the signs of expressions, and the forms that follow."""

    @property
    def forms(self) -> dict[int, Any]: ...

    def is_positive(self, part: Expression) -> bool: ...

    def is_at_least_0(self, part: Expression) -> bool: ...


class Quotient(NamedTuple):
    """over / under."""

    over: Polynomial
    under: Polynomial


class Factors(NamedTuple):
    """content times each factor to its power."""

    content: Fraction
    powers: list[tuple[Expression, int]]


@functools.cache
def _text(atom: Expression) -> str:
    return repr(atom)


def _monomial(powers: dict[Expression, Fraction]) -> Monomial:
    return tuple(sorted(((atom, e) for atom, e in powers.items() if e), key=lambda pair: _text(pair[0])))


def _times(a: Polynomial, b: Polynomial) -> Polynomial:
    if len(a) * len(b) > MOST:
        raise NotGeneric("too many terms")
    made: Polynomial = {}
    for one, c in a.items():
        for other, d in b.items():
            powers = dict(one)
            for atom, e in other:
                powers[atom] = powers.get(atom, Fraction(0)) + e
            _add(made, _settled(powers, c * d))
    return {monomial: c for monomial, c in made.items() if c}


def _settled(powers: dict[Expression, Fraction], c: Fraction) -> Polynomial:
    """A monomial; of a root of a sum, or of a prime, whole powers are multiplied out."""
    for atom, e in powers.items():
        whole = e // 1
        if atom.is_number and whole:
            return _settled(powers | {atom: e - whole}, c * atom.parts[0] ** int(whole))
        if atom.kind == "+" and whole > 0:
            rest = _settled(powers | {atom: e - whole}, c)
            for _ in range(int(whole)):
                rest = _times(rest, _sum_of(atom))
            return rest
    return {_monomial(powers): c}


def _sum_of(atom: Expression) -> Polynomial:
    made: Polynomial = {}
    for part in atom.parts:
        _add(made, _sum_of(part) if part.kind == "+" else {_monomial(dict(powers_of(part)[1])): powers_of(part)[0]})
    return made


def powers_of(part: Expression) -> tuple[Fraction, list[tuple[Expression, Fraction]]]:
    """(coefficient, powers) of a product as `to_expression` makes it."""
    if part.is_number:
        return part.parts[0], []
    if part.kind == "*":
        (c, one), (d, other) = map(powers_of, part.parts)
        return c * d, [*one, *other]
    return Fraction(1), [part.parts if part.kind == "^" else (part, Fraction(1))]


def _add(made: Polynomial, other: Polynomial) -> None:
    for monomial, c in other.items():
        made[monomial] = made.get(monomial, Fraction(0)) + c


def _plus(a: Polynomial, b: Polynomial) -> Polynomial:
    made = dict(a)
    _add(made, b)
    return {monomial: c for monomial, c in made.items() if c}


def to_expression(polynomial: Polynomial) -> Expression:
    """A polynomial as an expression."""
    terms = sorted(polynomial.items(), key=lambda term: [(_text(atom), e) for atom, e in term[0]])
    return sum((_product(monomial, c) for monomial, c in terms), number(0))


def _product(powers: Iterable[tuple[Expression, Any]], c: Fraction) -> Expression:
    made = number(1)
    for atom, e in powers:
        made = made * atom**e
    return number(c) * made


def factor(polynomial: Polynomial) -> Factors:
    """A polynomial as a product; of an atom with fractional exponents a root is the variable."""
    atoms = sorted({atom for monomial in polynomial for atom, _ in monomial}, key=_text)
    exponents = [[dict(monomial).get(atom, Fraction(0)) for monomial in polynomial] for atom in atoms]
    roots = [lcm(*(e.denominator for e in row)) for row in exponents]
    lows = [min(row) for row in exponents]
    if not atoms:
        return Factors(polynomial.get((), Fraction(0)), [])
    context = fmpq_mpoly_ctx.get([f"x{i}" for i in range(len(atoms))], Ordering.lex)
    terms = {
        tuple(
            int((dict(m).get(atom, Fraction(0)) - low) * root)
            for atom, root, low in zip(atoms, roots, lows, strict=True)
        ): fmpq(c.numerator, c.denominator)
        for m, c in polynomial.items()
    }
    content, found = context.from_dict(terms).factor()
    powers: list[tuple[Expression, Any]] = [(atom, low) for atom, low in zip(atoms, lows, strict=True) if low]
    value = Fraction(int(content.p), int(content.q))
    for part, e in found:
        inner: Polynomial = {}
        for exponent, c in part.to_dict().items():
            pairs = {atom: Fraction(int(k), root) for atom, k, root in zip(atoms, exponent, roots, strict=True)}
            _add(inner, {_monomial(pairs): Fraction(int(c.p), int(c.q))})
        powers.append((to_expression(inner), int(e)))
    return Factors(value, sorted(powers, key=lambda pair: _text(pair[0])))


def _primes(value: Fraction, power: Fraction) -> dict[Expression, Fraction]:
    found: dict[Expression, Fraction] = {}
    for side, sign in ((value.numerator, 1), (value.denominator, -1)):
        for prime, e in fmpz(side).factor():
            found[number(int(prime))] = Fraction(int(e) * sign) * power
    return found


def _divided(a: Polynomial, b: Polynomial) -> Quotient:
    """a / b, of which a single term below is moved up."""
    if not a:
        return Quotient(a, ONE)
    if len(b) == 1:
        ((monomial, c),) = b.items()
        return Quotient(_times(a, {_monomial({atom: -e for atom, e in monomial}): 1 / c}), ONE)
    return Quotient(a, b)


def _single(atom: Expression, power: Fraction = Fraction(1)) -> Quotient:
    return Quotient({((atom, power),): Fraction(1)}, ONE)


def _multiplied(a: Quotient, b: Quotient) -> Quotient:
    return _divided(_times(a.over, b.over), _times(a.under, b.under))


def _both(made: Quotient) -> list[tuple[Expression, Fraction]]:
    """The factors of a quotient, content first, with their powers."""
    above, below = factor(made.over), factor(made.under)
    content = [(number(above.content / below.content), Fraction(1))]
    return content + [(f, Fraction(e)) for f, e in above.powers] + [(f, Fraction(-e)) for f, e in below.powers]


def quotient(expression: Expression, signs: Signs, seen: dict[int, Any]) -> Quotient:
    """The quotient of polynomials that an expression is; `signs` tells which parts are positive."""

    def power(base: Quotient, exponent: Fraction) -> Quotient:
        if exponent.denominator == 1 and abs(exponent) <= 12:
            made = Quotient(ONE, ONE)
            for _ in range(abs(int(exponent))):
                made = _multiplied(made, base)
            return made if exponent >= 0 else _divided(*reversed(made))
        if not base.over and exponent > 0:
            return base
        parts = _both(base)
        roots = exponent > 0 and all(e > 0 for _, e in parts)
        if not all((signs.is_at_least_0 if roots else signs.is_positive)(part) for part, _ in parts):
            return _single(to_expression(base.over) / to_expression(base.under), exponent)
        powers: dict[Expression, Fraction] = {}
        for part, e in parts:
            found = _primes(part.parts[0], e * exponent) if part.is_number else {part: e * exponent}
            for atom, inner in found.items():
                powers[atom] = powers.get(atom, Fraction(0)) + inner
        return Quotient(_settled(powers, Fraction(1)), ONE)

    def logarithm(inner: Quotient) -> Quotient:
        parts = _both(inner)
        if not all(signs.is_positive(part) for part, _ in parts):
            return _single(of.log(to_expression(inner.over) / to_expression(inner.under)))
        made: Polynomial = {}
        for part, e in parts:
            found = _primes(part.parts[0], e) if part.is_number else {part: e}
            for atom, inner_power in found.items():
                base, times = (atom.parts[0], atom.parts[1]) if atom.kind == "^" else (atom, Fraction(1))
                logged = base.parts[0] if base.kind == "exp" else of.log(base)
                _add(
                    made,
                    _times(
                        quotient(logged, signs, seen).over
                        if base.kind == "exp"
                        else {((logged, Fraction(1)),): Fraction(1)},
                        {(): inner_power * times},
                    ),
                )
        return Quotient({m: c for m, c in made.items() if c}, ONE)

    def exponential(inner: Quotient) -> Quotient:
        inner = _divided(inner.over, inner.under)
        if inner.under != ONE:
            return _single(of.exp(to_expression(inner.over) / to_expression(inner.under)))
        powers: dict[Expression, Fraction] = {}
        for monomial, c in inner.over.items():
            base = _product(monomial, Fraction(1))
            atom = base.parts[0] if base.kind == "log" else of.exp(base) if monomial else of._make("exp", number(1))
            powers[atom] = powers.get(atom, Fraction(0)) + c
        return Quotient(_settled(powers, Fraction(1)), ONE)

    def rule(node: Expression, parts: list[Quotient]) -> Quotient:
        match node.kind:
            case "number":
                return Quotient({(): node.parts[0]} if node.parts[0] else {}, ONE)
            case "+":
                a, b = parts
                if a.under == b.under:
                    return Quotient(_plus(a.over, b.over), a.under)
                return Quotient(_plus(_times(a.over, b.under), _times(b.over, a.under)), _times(a.under, b.under))
            case "*":
                return _multiplied(*parts)
            case "/":
                a, b = parts
                return _divided(_times(a.over, b.under), _times(a.under, b.over))
            case "^":
                return power(parts[0], node.parts[1])
            case "log":
                return logarithm(parts[0])
            case "exp":
                return exponential(parts[0])
        if not parts:
            return _single(node)
        inner = [to_expression(p.over) / to_expression(p.under) for p in parts]
        return _single(of.rebuild(node, sorted(inner, key=_text) if node.kind == "max" else inner))

    return walk(expression, rule, seen)


def simplify(expression: Expression, signs: Signs) -> Expression:
    """The normal form as an expression."""
    made = quotient(expression, signs, signs.forms)
    return to_expression(made.over) / to_expression(made.under)


def factors(expression: Expression, signs: Signs) -> tuple[Factors, Factors]:
    """(of the numerator, of the denominator) of an expression; a content of 0 above means that it is 0."""
    made = quotient(expression, signs, signs.forms)
    return factor(made.over), factor(made.under)
