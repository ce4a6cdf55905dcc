"""The determinism lint catches every banned form, passes the allowed ones; godseed/sim is clean."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from determinism_lint import check_source, check_tree

NUMPY_BANNED = (
    "sin cos tan exp exp2 expm1 log log2 log10 log1p power pow float_power hypot arctan arctan2 "
    "arcsin arccos sinh cosh tanh cbrt sum mean prod std var average dot matmul einsum inner outer "
    "vdot tensordot round rint around interp convolve radians deg2rad"
).split()
MATH_BANNED = (
    "sin cos tan exp log log2 log10 pow hypot atan atan2 asin acos cbrt sinh fsum dist fma"
).split()

BANNED = [
    *(f"import numpy as np\ny = np.{name}(x)" for name in NUMPY_BANNED),
    *(f"import math\ny = math.{name}(x)" for name in MATH_BANNED),
    "import numpy\ny = numpy.sin(x)",
    "import numpy as other\nf = other.sin",
    "from numpy import sin",
    "from numpy import sin as s",
    "from numpy import *",
    "from math import sin",
    "from math import *",
    "import math as m\ny = m.exp(1.0)",
    'import numpy as np\ny = getattr(np, "sin")(x)',
    "import numpy as np\ny = np.linalg.norm(x)",
    "import numpy.linalg",
    "import numpy.linalg as la",
    "from numpy import linalg",
    "from numpy.linalg import norm",
    "import numpy as np\ny = np.random.default_rng(1)",
    "from numpy.random import default_rng",
    "import numpy as np\ny = np.add.reduce(x)",
    "import numpy as np\ny = np.fft.fft(x)",
    "import scipy.special",
    "y = x ** 2",
    "x **= 2",
    "y = a @ b",
    "a @= b",
    "y = pow(x, 2)",
    "y = round(x)",
    "y = sum(weights)",
    "y = sum(w * h for w in weights)",
    "y = x.sum()",
    "y = x.mean(axis=0)",
    "y = x.dot(z)",
    "y = x.std()",
    "y = x.prod()",
    "y = x.round(2)",
    "y = (a * b).sum()",
    "y = x.argsort()",
    "import numpy as np\ny = np.argsort(x)",
    'import numpy as np\ny = np.argsort(x, kind="quicksort")',
    "import numpy as np\ny = np.argpartition(x, 3)",
    "import random",
    "from random import random",
    "import time",
    "from time import monotonic",
    "import datetime",
    "from datetime import datetime",
    "import uuid",
    "import secrets",
    "import os\ny = os.urandom(4)",
    "from os import urandom",
    'y = hash("a")',
    "class A:\n    def __hash__(self): return 1\ny = hash(x)",
    "for x in {1, 2}: pass",
    "for x in set(names): pass",
    "for x in frozenset(names): pass",
    "for x in set(a) | set(b): pass",
    "y = [x for x in {n for n in names}]",
    "y = {x: 1 for x in set(names)}",
    "y = list(set(names))",
    "y = tuple({1, 2})",
    "for i, x in enumerate(set(names)): pass",
    'y = ", ".join(set(names))',
    "y = [*set(names)]",
    "class A:\n    def round(self): pass\ny = round(x)",
]

ALLOWED = [
    "import numpy as np\ny = np.sqrt(np.abs(np.floor(x)))",
    "import numpy as np\ny = np.minimum(np.maximum(a, b), np.clip(c, 0.0, 1.0))",
    "import numpy as np\ny = np.cumsum(x)[-1]",
    "import numpy as np\ny = np.bincount(i, weights=w, minlength=4)",
    "import numpy as np\nnp.add.at(y, i, w)",
    "import numpy as np\ny = np.maximum.reduce(x)",
    'import numpy as np\ny = np.argsort(x, kind="stable")',
    'y = x.argsort(kind="stable")',
    "import numpy as np\ny = np.lexsort((a, b))",
    "import math\ny = math.floor(x) if math.isfinite(x) else math.inf",
    "from godseed.sim.maths import sin, cos, exp, log\ny = sin(x) + exp(x)",
    "from godseed.sim import maths\ny = maths.sin(x)",
    "def round(x): return x\ny = round(x)",
    "from godseed.sim.sphere import dot\ny = dot(a, b)",
    "from godseed.sim import sphere\ny = sphere.dot(a, b)",
    "y = sum(1 for x in names)",
    "y = sum(len(x) for x in names)",
    "y = f(*args, **kwargs)",
    "for x in sorted({1, 2}): pass",
    "y = x in {1, 2}",
    "y = a | b",
    "y = (a * 0x6D2B79F5) >> 15 ^ a",
    'head, _, tail = shot.partition(":")',
    "y = x.max() if x.any() else x.min()",
    "import os\nos.fsync(handle)",
    "class A:\n    def __hash__(self): return hash(self.key)",
    "@decorated\ndef f(): pass",
]


@pytest.mark.parametrize("snippet", BANNED)
def test_lint_catches(snippet: str) -> None:
    assert check_source(snippet), f"not caught:\n{snippet}"


@pytest.mark.parametrize("snippet", ALLOWED)
def test_lint_allows(snippet: str) -> None:
    assert check_source(snippet) == []


def test_finding_names_file_line_and_the_way_out() -> None:
    (finding,) = check_source("import numpy as np\n\ny = np.sin(x)\n", "sim/a.py")
    assert str(finding) == (
        "sim/a.py:3: numpy.sin is not portable; "
        "use godseed.sim.maths: sin cos exp log atan2 asin acos"
    )


def test_sim_computes_the_same_bytes_everywhere(repo_root: Path) -> None:
    sim = repo_root / "godseed" / "sim"
    assert list(sim.rglob("*.py")), (
        f"no Python file under {sim}; this check would pass by looking at nothing"
    )
    findings = check_tree(sim)
    assert not findings, "\n" + "\n".join(map(str, findings))


def test_lint_runs_as_a_program(tmp_path: Path, repo_root: Path) -> None:
    (tmp_path / "bad.py").write_text("y = x ** 2\n")
    program = repo_root / "tests" / "lint" / "determinism_lint.py"
    bad = subprocess.run(
        [sys.executable, program, tmp_path], capture_output=True, text=True, check=False
    )
    assert (bad.returncode, "bad.py:1: ** is not portable" in bad.stdout) == (1, True)
    (tmp_path / "bad.py").write_text("y = x * x\n")
    good = subprocess.run(
        [sys.executable, program, tmp_path], capture_output=True, text=True, check=False
    )
    assert (good.returncode, good.stdout) == (0, "no findings\n")
    lost = subprocess.run(
        [sys.executable, program, tmp_path / "no"], capture_output=True, text=True, check=False
    )
    assert (lost.returncode, "is not there" in lost.stderr) == (1, True)
