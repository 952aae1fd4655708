#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# release.sh FOLDER: checks that this checkout can be released, and makes its files in FOLDER, which must not exist: the source archive, the
# wheel, the Debian packages and SHA256SUMS. Prints a line for each check and step, and what is left to do by hand.
#
# The wheel is made in a fresh Ubuntu 22.04, or in a fresh Debian 12 where Ubuntu cannot be had: this takes root, debootstrap and the network.
# The packages are for this system: for others, run package.sh there. Tests are not run.
set -euo pipefail
source=$(CDPATH="" cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
if [ $# -ne 1 ] || [[ $1 == -* ]]; then
  sed -n '3,7s/^# \?//p' "${BASH_SOURCE[0]}"
  exit 2
fi
version=$(sed -n "s/^ *version : '\(.*\)',$/\1/p" "$source/meson.build" | head -1)
failed=0

# check WHAT ADVICE COMMAND...
check () {
  if "${@:3}" > /dev/null 2>&1; then echo "PASS $1"; else echo "FAIL $1: $2"; failed=1; fi
}
absent () { [ ! -e "$1" ]; }
is_clean () { [ -z "$(git -C "$source" status --porcelain)" ]; }
is_semantic () { [[ $1 =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]; }
is_newest () { [ "$(sed -n 's/^## \([0-9.]*\).*/\1/p' "$source/docs/changes.md" | head -1)" = "$version" ]; }
has_date () { grep -qE "^## ${version//./\\.}, [0-9]{4}-[0-9]{2}-[0-9]{2}$" "$source/docs/changes.md"; }
can_make_systems () { [ "$(id -u)" -eq 0 ] && command -v debootstrap; }
is_new_tag () { ! git -C "$source" rev-parse -q --verify "refs/tags/$version"; }
check 'folder_is_new' "$1 exists: name another folder" absent "$1"
check 'tree_is_clean' 'commit or stash what git status lists' is_clean
check 'version_is_semantic' "meson.build has version $version, expected MAJOR.MINOR.PATCH" is_semantic "$version"
check 'changes_of_version' "the newest version of docs/changes.md is not $version" is_newest
check 'changes_have_a_date' "write the day of the release in docs/changes.md: ## $version, YYYY-MM-DD" has_date
check 'tag_is_new' "the tag $version exists: raise the version in meson.build" is_new_tag
check 'can_make_systems' 'run this as root, with debootstrap installed' can_make_systems
[ $failed -eq 0 ] || exit 1

mkdir -p "$1"
folder=$(CDPATH="" cd "$1" && pwd)
git -C "$source" archive --prefix="robocache-$version/" HEAD | xz -9 > "$folder/robocache-$version.tar.xz"
echo 'PASS source_archive'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -C "$work" -xf "$folder/robocache-$version.tar.xz"
# shellcheck source=../../tests/chroot.sh
(. "$source/tests/chroot.sh" && make_wheel "$source" "$1") > "$work/wheel.log" || { cat "$work/wheel.log" >&2; exit 1; }
echo "PASS wheel: $(head -1 "$work/wheel.log")"
# from the archive, so that it is complete
bash "$work/robocache-$version/examples/packaging/package.sh" "$folder" > /dev/null
echo 'PASS packages'
(cd "$folder" && find . -maxdepth 1 -type f -printf '%P\n' | LC_ALL=C sort | xargs sha256sum > "$work/sums" && mv "$work/sums" SHA256SUMS)
echo 'PASS checksums'
cat <<END
To do by hand:
- run bash tests/run.sh --all, and bash tests/packages.sh SUITE WAY for bookworm, trixie and jammy with debs, wheel and source, and for
  bookworm with cuda
- git tag -s $version && git push origin $version
- sign SHA256SUMS, and upload the files of $folder
- raise the version in meson.build, and begin its section in docs/changes.md with ## VERSION, not released
END
