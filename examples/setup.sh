# robocache: installs missing packages, and builds. Sourced by quickstart.sh and by tests/run.sh.
#
# SPDX-License-Identifier: LGPL-2.1-or-later

# Packages to build and run robocache on Debian 12 and later. gst-check is part of libgstreamer1.0-dev.
ROBOCACHE_PACKAGES=(gcc libc6-dev liblzf-dev meson ninja-build pkg-config
  libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev libcairo2-dev libzstd-dev liblz4-dev
  libbz2-dev zlib1g-dev libxml2-dev libyaml-dev libsqlite3-dev cyclonedds-dev libsoup-3.0-dev libjpeg-dev gstreamer1.0-tools gstreamer1.0-plugins-base)

# robocache_quietly COMMAND...: shows the output of a command only if it fails.
robocache_quietly () {
  local said status=0
  said=$("$@" 2>&1 </dev/null) || status=$?
  [ "$status" -eq 0 ] || printf '%s\n%s: failed with status %s\n' "$said" "$*" "$status" >&2
  return "$status"
}

# robocache_missing_packages NAME...: prints packages that are not installed. Prints none without dpkg; there meson reports
# missing dependencies.
robocache_missing_packages () {
  local name
  command -v dpkg-query >/dev/null || return 0
  for name in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || printf '%s\n' "$name"
  done
}

# robocache_install [NAME...]: installs missing packages of the list above and of NAME. Ends the script unless it runs as root
# or sudo works.
robocache_install () {
  local missing as_root=() apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
  mapfile -t missing < <(robocache_missing_packages "${ROBOCACHE_PACKAGES[@]}" "$@")
  [ ${#missing[@]} -gt 0 ] || return 0

  if [ "$(id -u)" -ne 0 ]; then
    # without a terminal sudo must not ask for a password
    as_root=(sudo)
    [ -t 0 ] || as_root=(sudo -n)
    if ! command -v sudo >/dev/null || ! "${as_root[@]}" true 2>/dev/null; then
      printf 'Packages are missing, and installing them takes root. Run this as root, then start again:\n' >&2
      printf 'apt-get update && apt-get install -y --no-install-recommends %s\n' "${missing[*]}" >&2
      exit 1
    fi
  fi
  printf 'Installing (once): %s\n' "${missing[*]}" >&2
  robocache_quietly "${as_root[@]}" "${apt[@]}" update || exit 1
  robocache_quietly "${as_root[@]}" "${apt[@]}" install -y --no-install-recommends "${missing[@]}" || exit 1
}

# robocache_build DIR [ARGUMENT...]: configures DIR unless it is configured, and builds it. Arguments that begin with - are
# options of meson setup, others are targets; without targets it builds everything. Ends the script on failure.
robocache_build () {
  local source dir=$1 argument options=() targets=()
  source=$(CDPATH="" cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
  for argument in "${@:2}"; do
    case $argument in
      -*) options+=("$argument") ;;
      *) targets+=("$argument") ;;
    esac
  done
  if [ ! -f "$dir/build.ninja" ]; then
    printf 'Configuring %s (once)\n' "$dir" >&2
    robocache_quietly meson setup "$dir" "$source" "${options[@]}" || exit 1
  fi
  case $(ninja -C "$dir" -n "${targets[@]}" 2>/dev/null) in
    *'no work to do'*) return 0 ;;
  esac
  printf 'Building in %s\n' "$dir" >&2
  robocache_quietly ninja -C "$dir" "${targets[@]}" || exit 1
}

# robocache_gpu_options: prints the option of meson setup for code that this machine can run: code for its GPUs, or none
# without a GPU. Code for all GPUs takes minutes to build. For a GPU newer than nvcc it prints the default.
robocache_gpu_options () {
  local arch archs=() known nvcc=nvcc
  command -v nvcc >/dev/null || nvcc=/usr/local/cuda/bin/nvcc
  known=" $("$nvcc" --list-gpu-arch 2>/dev/null | tr '\n' ' ') "
  for arch in $(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d . | sort -u); do
    if ! [[ $arch =~ ^[0-9]+$ ]] || [ "$arch" -lt 75 ]; then continue; fi
    if [[ $known != *" compute_$arch "* ]]; then
      echo -Dcuda-arch=default
      return
    fi
    archs+=("$arch")
  done
  if [ ${#archs[@]} -gt 0 ]; then echo "-Dcuda-arch=$(IFS=,; echo "${archs[*]}")"; else echo -Dcuda=disabled; fi
}

# robocache_plugin [NAME...]: lets GStreamer and Python find this checkout. Without a build it installs packages, those of NAME too, and
# builds the plugin.
robocache_plugin () {
  local examples build
  examples=$(CDPATH="" cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
  # shellcheck source=env.sh
  . "$examples/env.sh"
  build=${ROBOCACHE_BUILD_DIR:-$examples/../build}
  [ ! -e "$build/gst/libgstrobocache.so" ] || return 0
  robocache_install "$@"
  robocache_build "$build" "$(robocache_gpu_options)" robocache-plugin
}
