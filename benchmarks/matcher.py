"""How fast the normalized matcher is against the loop that people write by hand.

Both sides run in the same process, on the same answers, in turns, and the best of several rounds counts, so the
printed ratios mean more than the times. "usual" is lower-case, strip all but [a-z0-9 ], collapse, then `fact in
answer`, with each answer normalized once. It has its facts normalized beforehand, which is kind to it; the ratio
"+ facts each time" is that against the loop as most people write it, which normalizes a fact at each comparison.

    python benchmarks/matcher.py [--json]
"""

from __future__ import annotations

import argparse
import gc
import json
import re
import time
from collections.abc import Callable

from foldproof.matching import Fact, Text, match_facts

PLAIN = (
    "For the billing service I would use Postgres 15 with a read replica in Frankfurt, since latency matt"
    "ers there. You told me that you want no ORM but raw SQL only, so the queries stay in plain files nex"
    "t to the code. The recovery time is about 30 minutes, and the nightly backups are kept for two weeks"
    ". Your sister Ana is vegetarian, so I would book the Italian place near the station for the team din"
    "ner, because parking is easier there and the kitchen handles allergies well. Tell me if anything cha"
    "nges"
)
MIXED = (
    PLAIN.replace("Frankfurt", "eu-west-1")
    .replace("matters there", "stays under 12.5 ms (99%)")
    .replace("about 30 minutes", "30 minutes at $1,234.50 a month")
)
MARKDOWN = (
    "## Billing service\n\n- **Database:** `Postgres 15`, with a *read replica* in `eu-west-1`\n- **Access:*"
    "* raw SQL only, __no ORM__\n- **Recovery time:** 30 minutes\n\n> You told me that latency matters more "
    "than cost.\n\n```sql\nSELECT id, total FROM invoices WHERE paid = false;\n```\n\n### Team dinner\n\n1. Ana i"
    "s **vegetarian**, so I'd take the Italian place near the station.\n2. Parking is *easier* there; the "
    'kitchen handles allergies well.\n3. Book it for six, under "Müller", before Friday evening.\n\nTell me '
    "if anything changes, please – I can still move the booking to another day."
)
ACCENTED = (
    "Für den Abrechnungsdienst würde ich Postgres 15 nehmen, mit einer read replica in Zürich, weil die V"
    "erzögerung zählt. Le client préfère être remboursé en avoir ; il a déjà réservé une table près de la"
    " gare, où c’est plus sûr. Tu hermana Ana es vegetariana y mañana cumplirá años, así que pediré un me"
    "nú sin frutos secos. A reunião é às três, não às duas; o relatório já está na pasta. Spotkanie w Łod"
    "zi odbędzie się później, žádné změny nejsou nutné. Ana is vegetarian, raw SQL only, please. Więcej s"
    "zczegółów prześlę jutro"
)
CJK = (
    "請求サービスには Postgres 15 を使い、東京に read replica を置くのがよ"
    "いと思います。遅延が大切だからです。ORM は使わず、raw SQL だけにしてください。妹のア"
    "ナさんは vegetarian なので、駅の近くのイタリア料理店を予約します。账单服务建议使用这"
    "个数据库，因为延迟很重要。备份每天晚上进行，保留两个星期。恢复时间大约三十分钟。结账服务不需要新"
    "的缓存，请先告诉我是否有变化。停车也比较方便，厨房很熟悉过敏问题。"
)
TEXTS = {"plain ASCII": PLAIN, "ASCII, many numbers": MIXED, "Markdown": MARKDOWN, "accented": ACCENTED, "CJK": CJK}
FACTS = [Fact("normalized", fact) for fact in ("Postgres 15", "vegetarian", "raw SQL", "store credit", "MongoDB")]
VARIANTS = 20
ROUNDS = 40


def _usual_normal(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"[^a-z0-9 ]", "", text.lower())).strip()


def _usual(answers: list[str]) -> None:
    facts = [_usual_normal(fact.text) for fact in FACTS]
    for answer in answers:
        text = _usual_normal(answer)
        [fact in text for fact in facts]


def _usual_facts_each_time(answers: list[str]) -> None:
    for answer in answers:
        text = _usual_normal(answer)
        [_usual_normal(fact.text) in text for fact in FACTS]


def _foldproof(answers: list[str]) -> None:
    for answer in answers:
        match_facts(FACTS, Text(answer))


def _foldproof_with_spans(answers: list[str]) -> None:
    for answer in answers:
        for match in match_facts(FACTS, Text(answer)):
            _ = match.spans


def _seconds(call: Callable[[list[str]], None], answers: list[str]) -> float:
    """One run, without the garbage collector, as `timeit` does it."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        start = time.perf_counter()
        call(answers)
        return time.perf_counter() - start
    finally:
        if collecting:
            gc.enable()


def measure(rounds: int = ROUNDS) -> dict[str, dict[str, float]]:
    """Per kind of text: microseconds an answer (80 words x 5 facts), and how many times as fast as the usual loop."""
    runs: dict[str, Callable[[list[str]], None]] = {
        "usual": _usual,
        "usual_facts_each_time": _usual_facts_each_time,
        "foldproof": _foldproof,
        "foldproof_with_spans": _foldproof_with_spans,
    }
    results = {}
    for name, text in TEXTS.items():
        answers = [f"{text} {number}." for number in range(VARIANTS)]
        best = dict.fromkeys(runs, float("inf"))
        for _ in range(rounds):
            for run, call in runs.items():
                best[run] = min(best[run], _seconds(call, answers) / VARIANTS * 1e6)
        results[name] = {
            **{f"{run}_us": round(value, 2) for run, value in best.items()},
            "ratio": round(best["usual"] / best["foldproof"], 2),
            "ratio_facts_each_time": round(best["usual_facts_each_time"] / best["foldproof"], 2),
            "ratio_with_spans": round(best["usual"] / best["foldproof_with_spans"], 2),
        }
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the normalized matcher against the usual loop.")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    results = measure()
    if parser.parse_args().json:
        print(json.dumps(results, indent=2))
        return
    print("microseconds an answer (80 words x 5 facts, 3 of them held); ratio above 1: foldproof is faster\n")
    heads = f"{'text':<20} {'usual':>7} {'matcher':>8} {'ratio':>6}   {'+ facts each time':>17}"
    print(f"{heads}   {'spans read':>10} {'ratio':>6}")
    for name, row in results.items():
        print(
            f"{name:<20} {row['usual_us']:>7} {row['foldproof_us']:>8} {row['ratio']:>5}x   "
            f"{row['ratio_facts_each_time']:>16}x   {row['foldproof_with_spans_us']:>10} {row['ratio_with_spans']:>5}x"
        )


if __name__ == "__main__":
    main()
