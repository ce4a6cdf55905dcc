"""Find what makes two machines, or Python and JavaScript, compute different bytes.

Walks the syntax tree of each file and names every use of an operation that IEEE 754 does not
round exactly, whose order of additions is the library's choice, or whose result depends on the
process, the clock or the iteration order of a set. Names are resolved through imports, so an alias
hides nothing.

Run it on folders or files: `python tests/lint/determinism_lint.py godseed/sim`. Exit code 1 means
findings. Source: docs/decisions/0004-own-maths-and-rounding.md.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MATHS = "use godseed.sim.maths: sin cos exp log atan2 asin acos"
PRODUCT = "write powers as products, and 2**n as a literal or a shift"
ORDER = "add in a stated order: np.cumsum, np.bincount, or one addition per item"
HALF_UP = "use round_half_up from godseed.sim.maths"
DRAWS = "draw from godseed.sim.rng with the feature's seed"
GIVEN = "take it as an argument"
SORTED = "iterate over sorted(...) or a list"
STABLE = 'pass kind="stable": ties otherwise fall as the CPU likes'

# Refused wherever they are mentioned; a name covers what lies under it.
NUMPY_BANNED: dict[str, str] = {
    **dict.fromkeys(
        (
            "sin cos tan sinh cosh tanh arcsin arccos arctan arctan2 arcsinh arccosh arctanh "
            "asin acos atan atan2 asinh acosh atanh exp exp2 expm1 log log2 log10 log1p logaddexp "
            "logaddexp2 sinc i0 angle radians degrees deg2rad rad2deg"
        ).split(),
        MATHS,
    ),
    **dict.fromkeys("power pow float_power cbrt hypot vander".split(), PRODUCT),
    **dict.fromkeys(
        (
            "sum nansum prod nanprod mean nanmean average std nanstd var nanvar dot vdot inner "
            "outer matmul matvec vecmat vecdot tensordot einsum kron linalg trace convolve "
            "correlate interp polyfit polyval trapezoid cov corrcoef add.reduce add.reduceat "
            "multiply.reduce multiply.reduceat fft"
        ).split(),
        ORDER,
    ),
    **dict.fromkeys("round around round_ rint fix".split(), HALF_UP),
    **dict.fromkeys("partition argpartition".split(), STABLE),
    "random": DRAWS,
}
BANNED = {f"numpy.{name}": way_out for name, way_out in NUMPY_BANNED.items()} | {
    "scipy": "sim is NumPy and pydantic only",
    "random": DRAWS,
    "secrets": DRAWS,
    "uuid": DRAWS,
    "os.urandom": DRAWS,
    "time": GIVEN,
    "datetime": GIVEN,
    "cmath": MATHS,
    "statistics": ORDER,
}
MATH_ALLOWED = frozenset(
    "floor ceil trunc sqrt fabs isfinite isnan isinf inf nan pi tau gcd isqrt".split()
)
METHODS: dict[str, str] = {
    **dict.fromkeys(["sum", "prod", "mean", "std", "var", "dot"], ORDER),
    "round": HALF_UP,
    "argpartition": STABLE,
}
BUILTINS: dict[str, str] = {
    "round": HALF_UP,
    "pow": PRODUCT,
    "hash": "use godseed.sim.digest or rng.hash_u32: hash() is salted per process",
    "sum": ORDER + "; from Python 3.12 on, sum() of floats compensates and 3.11's does not",
}
# Calls that walk their argument in its own order.
WALKS = frozenset(
    "list tuple enumerate iter zip map filter reversed array asarray fromiter join".split()
)


@dataclass(frozen=True)
class Finding:
    """One use that is not portable: where, what, and the way out."""

    path: str
    line: int
    what: str
    way_out: str

    def __str__(self) -> str:
        """`file:line: what; way out`, as editors and people read it."""
        return f"{self.path}:{self.line}: {self.what} is not portable; {self.way_out}"


def check_source(source: str, path: str = "<snippet>") -> list[Finding]:
    """List the findings of one file's text, in line order."""
    visitor = _Visitor(path)
    visitor.visit(ast.parse(source, path))
    return sorted(visitor.findings, key=lambda finding: finding.line)


def check_tree(*roots: Path) -> list[Finding]:
    """List the findings of every Python file under the given folders or files."""
    files = (
        file for root in roots for file in (sorted(root.rglob("*.py")) if root.is_dir() else [root])
    )
    return [
        found for file in files for found in check_source(file.read_text("utf-8"), file.as_posix())
    ]


class _Visitor(ast.NodeVisitor):
    def __init__(self, path: str) -> None:
        self.path = path
        self.findings: list[Finding] = []
        self.names: dict[str, str] = {}  # local name -> dotted origin
        self.defined: set[str] = set()  # functions of this file

    def visit_Module(self, node: ast.Module) -> None:
        # A method called `round` does not shadow the builtin; a function of the module does.
        self.defined = {child.name for child in node.body if isinstance(child, ast.FunctionDef)}
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        # __hash__ must call hash(); the bans on set order keep its result out of the geometry.
        outside = self.defined
        self.defined = outside | {"hash"} if node.name == "__hash__" else outside
        self.generic_visit(node)
        self.defined = outside

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.names[alias.asname or alias.name.split(".")[0]] = (
                alias.name if alias.asname else alias.name.split(".")[0]
            )
            self._check_name(node, alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if module == "__future__":
            return
        for alias in node.names:
            dotted = f"{module}.{alias.name}"
            if alias.name == "*":
                self._add(
                    node,
                    f"from {module} import *",
                    "import by name, so that this check can read it",
                )
            self.names[alias.asname or alias.name] = dotted
            self._check_name(node, dotted)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        dotted = self._dotted(node)
        if dotted is None or not self._check_name(node, dotted):
            self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self._check_operator(node, node.op)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._check_operator(node, node.op)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        match node.func:
            case ast.Name(id=name) if name not in self.names and name not in self.defined:
                if name in BUILTINS and not (name == "sum" and _counts(node)):
                    self._add(node, f"{name}()", BUILTINS[name])
                if (
                    name == "getattr"
                    and len(node.args) > 1
                    and isinstance(node.args[1], ast.Constant)
                ):
                    origin = self._dotted(node.args[0])
                    self._check_name(node, f"{origin}.{node.args[1].value!s}")
            case ast.Attribute(attr=attr) if attr in METHODS and self._dotted(node.func) is None:
                self._add(node, f".{attr}()", METHODS[attr])
        called = (
            node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        )
        if called == "argsort" and not any(
            word.arg == "kind" and getattr(word.value, "value", "") == "stable"
            for word in node.keywords
        ):
            self._add(node, "argsort without kind", STABLE)
        if called in WALKS and any(_is_set(argument) for argument in node.args):
            self._add(node, f"{called}() over a set", SORTED)
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        self._check_walk(node.iter)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self._check_walk(node.iter)
        self.generic_visit(node)

    def visit_Starred(self, node: ast.Starred) -> None:
        self._check_walk(node.value)
        self.generic_visit(node)

    def _add(self, node: ast.AST, what: str, way_out: str) -> None:
        self.findings.append(Finding(self.path, getattr(node, "lineno", 0), what, way_out))

    def _check_operator(self, node: ast.AST, operator: ast.operator) -> None:
        if isinstance(operator, ast.Pow):
            self._add(node, "**", PRODUCT)
        if isinstance(operator, ast.MatMult):
            self._add(node, "@", ORDER)

    def _check_walk(self, iterated: ast.expr) -> None:
        if _is_set(iterated):
            self._add(iterated, "iteration over a set", SORTED)

    def _check_name(self, node: ast.AST, dotted: str) -> bool:
        """Add a finding when the dotted name, or a package that it lies in, is banned."""
        parts = dotted.split(".")
        if parts[0] == "math" and len(parts) > 1 and parts[1] not in MATH_ALLOWED:
            self._add(node, dotted, MATHS)
            return True
        for length in range(1, len(parts) + 1):
            prefix = ".".join(parts[:length])
            if prefix in BANNED:
                self._add(node, dotted, BANNED[prefix])
                return True
        return False

    def _dotted(self, node: ast.expr) -> str | None:
        """`np.random.default_rng` -> `numpy.random.default_rng`; None for a name not imported."""
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.names:
            return None
        return ".".join([self.names[node.id], *reversed(attributes)])


def _is_set(node: ast.expr) -> bool:
    match node:
        case ast.Set() | ast.SetComp():
            return True
        case ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
        case ast.BinOp(
            left=left, op=ast.BitOr() | ast.BitAnd() | ast.Sub() | ast.BitXor(), right=right
        ):
            return _is_set(left) or _is_set(right)
    return False


def _counts(node: ast.Call) -> bool:
    """True for sum(1 for ...) and sum(len(x) for ...): integers, the same in every order."""
    match node.args:
        case [ast.GeneratorExp(elt=ast.Constant(value=int()) | ast.Call(func=ast.Name(id="len")))]:
            return True
    return False


def _lines(arguments: list[str]) -> Iterator[str]:
    for root in map(Path, arguments):
        if not root.exists():
            raise SystemExit(f"determinism_lint: {root} is not there; expected a file or folder")
        yield from map(str, check_tree(root))


if __name__ == "__main__":
    found = list(_lines(sys.argv[1:]))
    print("\n".join(found) or "no findings")
    raise SystemExit(1 if found else 0)
