"""A compactor that keeps the first lines that fit, in `foldproof-compactor/1`: the smallest one that can be tried."""

import json
import sys

for line in sys.stdin:
    step = json.loads(line)
    if step["do"] == "close":
        break
    if step["do"] == "compact":
        kept, room = [], step["budget"] * 4
        for part in step["text"].splitlines():
            room -= len(part.encode()) + 1
            if room < 0:
                break
            kept.append(part)
        answer = {"text": "\n".join(kept), "notes": [f"{len(kept)} lines kept"]}
    else:
        answer = {"unsupported": True}
    print(json.dumps(answer), flush=True)
