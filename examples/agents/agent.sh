#!/bin/sh
# The least that a foldproof agent does, in POSIX shell: one answer line for each line on standard input.
#
# Only `reply` needs a real answer, an object with a `text`. To every other step `{}` says "done"; to a step that
# shows something (`memories`, `snapshot`), `{"unsupported": true}` says "I cannot", and foldproof then treats
# what it would have shown as unknown. Anything on standard error is kept as the agent's log.
#
# This one has no memory: it always says so. Use it as the starting point of a wrapper around any program.

while IFS= read -r line; do
  case $line in
    '{"do": "reply"'*) echo '{"text": "I do not know: I have no memory."}' ;;
    '{"do": "close"'*) echo '{}'; exit 0 ;;
    '{"do": "open"'* | '{"do": "start"'*) echo '{}' ;;
    *) echo '{"unsupported": true}' ;;
  esac
done
