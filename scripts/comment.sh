#!/usr/bin/env bash
# Keeps one comment of a pull request up to date with the report of a check: the comment is found again by its first
# line, which no reader sees. Called by action.yml; everything comes from the environment. Always ends with 0: whether a
# comment could be written is no part of the verdict.
set -uo pipefail

name=$(printf '%s\n%s' "$FOLDPROOF_PROJECT" "$FOLDPROOF_CANDIDATE" | sha256sum | cut -c 1-16)
marker="<!-- foldproof:action:$name -->"
body=$(mktemp)
trap 'rm -f "$body"' EXIT

warn() {
  echo "::warning title=foldproof::the comment was not written: $1"
  exit 0
}

if [ -s "${FOLDPROOF_REPORT:-}" ]; then
  # GitHub takes 65,536 characters: a longer report is cut, and says so.
  { echo "$marker"; head -c 60000 "$FOLDPROOF_REPORT"; } > "$body"
  if [ "$(wc -c < "$FOLDPROOF_REPORT")" -gt 60000 ]; then
    printf '\n\nThe report was cut; the whole one is in the summary of the job.\n' >> "$body"
  fi
else
  { echo "$marker"; echo "foldproof check came to no report (exit code ${FOLDPROOF_EXIT_CODE:-unknown}); see the log."; } > "$body"
fi

found=$(gh api --paginate "repos/$GH_REPO/issues/$NUMBER/comments?per_page=100" \
  --jq ".[] | select(.body | startswith(\"$marker\")) | .id") || warn "the comments cannot be read"
id=${found%%$'\n'*}
if [ -n "$id" ]; then
  gh api --silent --method PATCH "repos/$GH_REPO/issues/comments/$id" --field "body=@$body" || warn "it cannot be changed"
else
  gh api --silent "repos/$GH_REPO/issues/$NUMBER/comments" --field "body=@$body" || warn "it cannot be added"
fi
exit 0
