#!/bin/bash
# Installs the library under a folder of its own, then builds and runs the project in consumer/
# against what was installed, twice. The installed command has to run from there too.
# usage: install-and-use.sh static|shared SOURCE BUILD COMPILER
set -euo pipefail

kind=$1 source=$2 build=$3 compiler=$4
consumer=$source/tests/install/consumer
prefix=$build/prefix
shared=OFF
[ "$kind" = static ] || shared=ON

fail() {
    echo "install-and-use: $*" >&2
    exit 1
}

# says WHAT COMMAND…: the command's output is exactly that.
says() {
    local expected=$1 got
    shift
    got=$("$@") || fail "$* ended with $?"
    [ "$got" = "$expected" ] || fail "$* said: $got"
}

rm -rf "$prefix" "$build"/by-*
cmake -S "$source" -B "$build/errand" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_COMPILER="$compiler" -DCMAKE_INSTALL_LIBDIR=lib \
    -DBUILD_SHARED_LIBS=$shared -DERRAND_TESTS=OFF -DERRAND_BENCH=OFF
cmake --build "$build/errand"
cmake --install "$build/errand" --prefix "$prefix"

version=$("$prefix/bin/errand" --version)
version=${version#errand }
[ -s "$prefix/share/man/man1/errand.1" ] || fail "no manual page"

cmake -S "$consumer" -B "$build/by-cmake" -G Ninja -DCMAKE_C_COMPILER="$compiler" \
    -DCMAKE_PREFIX_PATH="$prefix"
cmake --build "$build/by-cmake"
says "errand $version: 42" "$build/by-cmake/consumer"

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
[ "$(pkg-config --modversion errand)" = "$version" ] || fail "errand.pc is of another version"
mkdir -p "$build/by-pkg-config"
read -ra flags < <(pkg-config --cflags --libs errand)
"$compiler" "$consumer/consumer.c" "${flags[@]}" -o "$build/by-pkg-config/consumer"
LD_LIBRARY_PATH=$prefix/lib says "errand $version: 42" "$build/by-pkg-config/consumer"

if [ "$kind" = shared ]; then
    readelf -d "$prefix/lib/liberrand.so" | grep -F "[liberrand.so.${version%%.*}]" >/dev/null ||
        fail "the soname is not that of the major version"
    "$source/ci/check-exports" "$prefix/lib/liberrand.so"
fi
