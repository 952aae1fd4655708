#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# venv.sh FOLDER PROGRAM [ARGUMENT...]: runs a Python program with the packages below, in a virtual environment that it makes in
# FOLDER-KEY when first called; KEY stands for the packages. Prints one SKIP line, and exits with 77, where that is not possible.
# Packages of ROS 2, for folders that end in the name of a distribution, have 250 MB: they are installed only if the variable CI is set.
set -uo pipefail
packages=(mcap==1.6.0 mcap-ros2-support==0.6.0 mcap-protobuf-support==0.5.3 foxglove-schemas-protobuf==0.3.0 rosbags==0.11.9 pandas plyfile==1.1.5 laspy==2.7.0 pypcd4==1.5.1
  websockets==17.4)
is_large=yes
case $1 in
  *-jazzy) packages=(ros-rclpy==7.1.6 ros-sensor-msgs==5.3.6 ros-rmw-fastrtps-cpp==8.4.3) ;;
  *-kilted) packages=(ros-rclpy==9.1.2 ros-sensor-msgs==5.5.1 ros-rmw-fastrtps-cpp==9.3.3) ;;
  *-foxglove) packages=(foxglove-sdk==0.30.3 foxglove-websocket==0.1.4 robo-ws-bridge==0.11.0 websockets==17.4 mcap==1.6.0) is_large='' ;;
  *-cyclone) packages=(cyclonedds==11.0.1) is_large='' ;;
  *) is_large='' ;;
esac
# another folder for other packages
folder=$1-$(printf '%s ' "${packages[@]}" | sha256sum | cut -c1-8)
shift

# one at a time; a folder is complete or absent
make_folder () {
  local made=$folder.$$
  [ ! -x "$folder/bin/python" ] || return 0
  if [ -n "$is_large" ] && [ -z "${CI-}" ]; then
    echo "CI is not set"
    return 1
  fi
  for python in /usr/bin/python3 python3; do
    rm -rf "$made" && "$python" -m venv "$made" && break
  done && "$made/bin/python" -m pip install -q --disable-pip-version-check "${packages[@]}" && mv "$made" "$folder" && return 0
  rm -rf "$made"
  return 1
}

exec 9>"$folder.lock"
flock 9
if ! said=$(make_folder 2>&1); then
  printf '%s\n' "$said" >&2
  printf 'SKIP %s: needs python3-venv and the PyPI packages %s%s\n' "$(basename "$1" .py)" "${packages[*]}" \
    "${is_large:+, which it installs if the variable CI is set}"
  exit 77
fi
flock -u 9
# what a venv was made as, it stays: it is called where it lies now
exec "$folder/bin/python" -B "$@"
