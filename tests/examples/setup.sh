#!/bin/bash
# robocache: what set-up does, on a machine whose package manager, user and build are of paper
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/cases.sh"
mkdir paper
PATH=$work/paper:$PATH

# paper NAME BODY: a command of that name that says what it was called with, in calls.txt
paper () {
  printf '#!/bin/bash\nprintf "%%s\\n" "%s $*" >> "%s/calls.txt"\n%s\n' "$1" "$work" "$2" > "paper/$1"
  chmod +x "paper/$1"
}

# run COMMAND: it in a shell of its own, that has set-up sourced; $said, $errors, $status and $calls
run () {
  : > calls.txt
  said=$(bash -c ". \"\$0/setup.sh\"; $1" "$examples" 2>errors.txt </dev/null)
  status=$?
  errors=$(cat errors.txt)
  calls=$(cat calls.txt)
}
apt='apt-get -qq -o Dpkg::Use-Pty=0'

# meson and one more are missing
paper dpkg-query 'case ${!#} in meson | python3-numpy) exit 1 ;; *) printf installed ;; esac'
paper apt-get 'echo much text'
paper id 'echo 0'
paper sudo '[ "$1" != -n ] || shift; exec "$@"'
run 'robocache_install python3-numpy; echo after'
expect as_root "$status $said" "0 after"
expect as_root_calls "$(grep apt-get <<<"$calls")" "$apt update
$apt install -y --no-install-recommends meson python3-numpy"
expect as_root_says "$errors" "Installing (once): meson python3-numpy"
expect as_root_no_sudo "$(grep -c ^sudo <<<"$calls")" 0

paper id 'echo 1000'
run 'robocache_install; echo after'
expect by_sudo "$status $said" "0 after"
expect by_sudo_calls "$(grep -c "^sudo -n env DEBIAN_FRONTEND=noninteractive $apt" <<<"$calls")" 2

paper sudo 'exit 1'
run 'robocache_install python3-numpy; echo after'
expect without_rights "$status $said" "1 "
expect without_rights_line "$(tail -1 <<<"$errors")" \
  "apt-get update && apt-get install -y --no-install-recommends meson python3-numpy"
expect without_rights_no_apt "$(grep -c apt-get <<<"$calls")" 0

paper id 'echo 0'
paper apt-get 'echo no network; exit 100'
run 'robocache_install; echo after'
expect apt_fails "$status $said" "1 "
expect_match apt_fails_says_why "$errors" '^no network$'

paper dpkg-query 'printf installed'
run 'robocache_install; echo after'
expect nothing_missing "$status $said $errors $(grep -c apt-get <<<"$calls")" "0 after  0"
paper dpkg-query 'printf config-files'
run 'robocache_missing_packages gcc meson'
expect removed_is_missing "$(xargs <<<"$said")" "gcc meson"

# the build: configured once, built when there is something to build, quiet unless it fails
paper meson 'mkdir -p "$2"; touch "$2/build.ninja"; echo much text'
paper ninja 'case $* in *-n*) cat todo ;; *) echo much text ;; esac'
echo '[1/1] cc' > todo
run 'robocache_build "$PWD/a build" -Dwerror=true one/target; echo after'
expect build "$status $said" "0 after"
expect build_calls "$calls" "meson setup $work/a build $(cd "$examples/.." && pwd) -Dwerror=true
ninja -C $work/a build -n one/target
ninja -C $work/a build one/target"
echo 'ninja: no work to do.' > todo
run 'robocache_build "$PWD/a build" -Dwerror=true; echo after'
expect built "$status $said $errors $calls" "0 after  ninja -C $work/a build -n"
echo '[1/1] cc' > todo
paper ninja 'case $* in *-n*) cat todo ;; *) echo a.c:1: wrong; exit 1 ;; esac'
run 'robocache_build "$PWD/a build"; echo after'
expect build_fails "$status $said" "1 "
expect_match build_fails_says_why "$errors" '^a.c:1: wrong$'
rm -r 'a build'
paper meson 'echo no compiler; exit 1'
run 'robocache_build "$PWD/a build"; echo after'
expect configure_fails "$status $said" "1 "
expect_match configure_fails_says_why "$errors" '^no compiler$'

# code for the GPUs of the machine, where there are any that it is known for
paper nvcc 'printf "compute_75\ncompute_90\ncompute_120\n"'
paper nvidia-smi 'printf "9.0\n9.0\n12.0\n6.1\n"'
run robocache_gpu_options
expect gpu_options "$said" "-Dcuda-arch=120,90"
paper nvidia-smi 'printf "9.0\n13.0\n"'
run robocache_gpu_options
expect options_of_a_newer_gpu "$said" "-Dcuda-arch=default"
paper nvidia-smi 'echo 6.1'
run robocache_gpu_options
expect options_of_an_old_gpu "$said" "-Dcuda=disabled"
paper nvidia-smi 'echo "NVIDIA-SMI has failed"; exit 9'
run robocache_gpu_options
expect options_without_gpu "$said" "-Dcuda=disabled"
exit $failed
