#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# add-case.sh elements|encodings|files|mcap|mcapdemux|parse|ros|urdf|view FILE...: adds inputs to a fuzzer's corpus, the archive corpora/corpus-NAME.tar.xz, each
# under the beginning of its hash. Without a FILE it packs the archive anew. To remove a case, unpack the archive with tar, delete
# the file, and pack the folder with the last command below.
set -euo pipefail
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=${1:?elements, encodings, files, mcap, mcapdemux, parse, ros, urdf or view}
shift
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
tar -C "$work" -xf "$folder/corpora/corpus-$name.tar.xz"
for file; do cp "$file" "$work/corpus-$name/$(sha1sum "$file" | cut -c 1-12)"; done
# the same archive from the same files
tar -C "$work" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=a=rX,u+w --format=ustar -cJf "$folder/corpora/corpus-$name.tar.xz" "corpus-$name"
