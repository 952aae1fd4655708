#compdef robocache
# robocache: completion for zsh: commands, the options that a command's help lists, and files
#
# SPDX-License-Identifier: LGPL-2.1-or-later
local -a found
if (( CURRENT == 2 )); then
  found=(${(f)"$(robocache --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\)  *\(.*\)/\1:\2/p')"})
  _describe command found
elif [[ $words[CURRENT] == -* ]]; then
  found=(${(f)"$(robocache $words[2] --help 2> /dev/null | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u)"})
  compadd -a found
else
  _files
fi
