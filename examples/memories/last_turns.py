"""A memory that keeps the last `k` turns, in `foldproof-memory/1`: the smallest one that can be asked."""

import json
import sys

turns, k = [], 8
for line in sys.stdin:
    step = json.loads(line)
    answer = {}
    if step["do"] == "open":
        k = step["memory_config"].get("k", k)
    elif step["do"] == "ingest":
        turns = [
            {"id": f"{session['session']}.t{number}", "text": f"{turn['role']}: {turn['text']}"}
            for session in step["history"]
            for number, turn in enumerate(session["turns"], 1)
        ]
    elif step["do"] == "recall":
        answer = {"items": turns[-k:]}
    elif step["do"] == "memories":
        answer = {"items": turns}
    elif step["do"] == "snapshot":
        answer = {"snapshot": turns}
    elif step["do"] == "restore":
        turns = step["snapshot"]
    elif step["do"] != "close":
        answer = {"unsupported": True}
    print(json.dumps(answer), flush=True)
    if step["do"] == "close":
        break
