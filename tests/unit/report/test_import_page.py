"""The page of `import logs`."""

from __future__ import annotations

from foldproof.report import ImportDocument, render_import

COUNTS = {"tool_calls": 3, "unanswered": 1, "memory_reads": 1, "memory_writes": 2, "sidechains": 1, "abandoned": 2,
          "repeats": 4, "naive_times": 1, "without_time": 1, "silent": 1}  # fmt: skip
DOCUMENT = ImportDocument(
    format="codex", title="Codex rollouts", told_by="records", written=["histories/a.jsonl"], sessions=20,
    users={"": 1, **{f"u{number}": 1 for number in range(12)}}, turns={"user": 5, "agent": 4, "system": 1},
    aside={"context": 3}, folds={"compacted": 1}, broken=21, unknown={"\x1b[31mred": 1},
    broken_lines=[{"file": "a", "line": number, "message": "the line is no JSON"} for number in range(1, 3)],
    notes=["the log names no user"], next=["name it"], **COUNTS,
)  # fmt: skip


def page(document):
    return render_import(document, width=100, colour=False)


def test_every_count_stands_on_it():
    text = page(DOCUMENT)
    for words in ("wrote histories/a.jsonl", "format codex: Codex rollouts", "known by records", "turns of system",
                  "1 without a time, 1 whose time has no zone, 1 without a turn to write", "1 without a result",
                  "compacted: 1", "talks of sub-agents", "edited or regenerated", "a:1: the line is no JSON",
                  "… and 19 further lines", "the log names no user", "name it", "(not told): 1", "5 more"):  # fmt: skip
        assert " ".join(words.split()) in " ".join(text.split()), words
    assert "\x1b" not in text


def test_a_small_log_has_a_small_page():
    nothing = {"broken": 0, "broken_lines": [], "silent": 0, "without_time": 0, "naive_times": 0, "next": []}
    quiet = DOCUMENT.model_copy(update={**nothing, "written": [], "users": {"ada": 1}, "turns": {}})
    text = page(quiet)
    assert "nothing was written; --to FILE.jsonl writes the history" in text
    assert "turns of tool" not in text
    assert "further" not in text
