"""A history out of a log has lost its secrets: an agent that quotes it can still be seen to lose a fact."""

import json

TOLD = ("The staging port is 8443.", "For the server: postgres://[redacted]@db.internal/app")


def test_a_loss_is_seen_in_an_answer_that_quotes_a_redacted_history(project, cli):
    case = {"id": "port", "history": "talk", "question": "Which port is staging on?", "expected_facts": ["8443"]}
    memory = {"kind": "window", "turns": 2}
    folder = project(
        cases=[case],
        replay={"histories": {"talk": "talk.jsonl"}},
        configs={
            "production": {"agent": "recall", "memory": memory},
            "short": {"agent": "recall", "memory": {**memory, "turns": 1}},
        },
    )
    turns = [{"role": "user", "text": text} for text in TOLD]
    (folder / "talk.jsonl").write_text(json.dumps({"session": "s1", "turns": turns}) + "\n", encoding="utf-8")
    assert cli("run", "production").code == 0
    assert cli("baseline", "accept").code == 0
    blocked = cli("check", "short", "--json")
    assert (blocked.code, blocked.document["cases"][0]["change"]) == (1, "lost")
    run = blocked.document["after"]["run"]
    assert "missed" in cli("explain", run, "port").out
    assert cli("rescore", run).code == 1
