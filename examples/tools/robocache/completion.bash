# robocache: completion for bash: commands, the options that a command's help lists, and files
#
# SPDX-License-Identifier: LGPL-2.1-or-later
_robocache () {
  local word=${COMP_WORDS[COMP_CWORD]} words=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="$(robocache --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p') help --help --version"
  elif [ "${COMP_WORDS[1]}" = help ]; then
    words=$(robocache --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
  elif [[ $word == -* ]]; then
    words=$(robocache "${COMP_WORDS[1]}" --help 2> /dev/null | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u)
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o filenames -F _robocache robocache
