#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# lerobot.sh: runs robot.py, and the rule for depth of lerobot_loader.py, with lerobot 0.6.1 of PyPI in a fresh trixie (Python 3.13), with the wheel
# that packages.sh made.
#
# PyTorch is Debian's, which computes on the CPU. It is older than LeRobot's packages ask for, so LeRobot is installed without
# dependencies, and after it what robots and lerobot-record use.
#
# Run by hand. It takes root, debootstrap, the network, 4 GB and minutes; chroot.sh says what it reads from the environment.
set -uo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
# shellcheck source=../../chroot.sh
. "$source/tests/chroot.sh"
root=$folder/lerobot log=$folder/lerobot.log
compgen -G "$folder/wheel/*.whl" > /dev/null || die 'make the wheel: run packages.sh trixie wheel'
modules=('numpy>=2,<2.3' 'opencv-python-headless>=4.9,<4.14' 'einops>=0.8,<0.9' 'draccus>=0.11.6,<0.12' 'huggingface-hub>=1.6,<2' 'gymnasium>=1.1.1,<2'
  'safetensors>=0.4.3,<1' 'termcolor>=2.4,<4' 'datasets>=4.8,<5' 'pandas>=2,<3' 'pyarrow>=21,<30' 'av>=15,<16' 'jsonlines>=4,<5' 'pynput>=1.7.8,<1.9'
  'pyserial>=3.5,<4' 'deepdiff>=7.0.1,<9')

new_system () {
  fresh "$root" trixie "$(dpkg --print-architecture)" && within "$root" apt-get -q update &&
    within "$root" env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends python3-venv python3-torch python3-torchvision \
      python3-evdev python3-gi gir1.2-gst-plugins-base-1.0 gstreamer1.0-plugins-base gstreamer1.0-plugins-good &&
    within "$root" python3 -m venv --system-site-packages /root/venv && pip --no-deps lerobot==0.6.1 && pip "${modules[@]}"
}
pip () { within "$root" /root/venv/bin/pip install --disable-pip-version-check "$@"; }

if ! { new_system && put_source "$source" "$root" && cp "$folder"/wheel/*.whl "$root/root" &&
  within "$root" sh -c '/root/venv/bin/pip install --disable-pip-version-check /root/*.whl /root/robocache/examples/dataset'; } > "$log" 2>&1; then
  die "see $log"
fi
within "$root" /root/venv/bin/python -W ignore /root/robocache/tests/dataset/lerobot_loader.py || exit
within "$root" /root/venv/bin/python -W ignore /root/robocache/tests/dataset/lerobot/robot.py /root/robocache/examples --installed || exit
rm -rf "$root"
