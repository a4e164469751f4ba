"""How fast the normalized matcher is against the loops that people write by hand.

Every loop lower-cases, strips all but [a-z0-9 ] and looks for `fact in answer`, with each answer normalized once. They
differ in how they strip: character by character, with a pattern, or with a pattern and blanks collapsed. All run in the
same process, on the same answers, in turns, and the best of several rounds counts, so the printed ratios mean more than
the times. "prepared" has the facts normalized beforehand; "each time" normalizes a fact at each comparison, as in
`normal(fact) in answer`.

    python benchmarks/matcher.py [--json]
"""

from __future__ import annotations

import argparse
import gc
import json
import re
import string
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
SAID = ("Postgres 15", "vegetarian", "raw SQL", "store credit", "MongoDB")
FACTS = tuple(Fact("normalized", fact) for fact in SAID)
VARIANTS = 20
ROUNDS = 40


KEPT = frozenset(string.ascii_lowercase + string.digits + " ")
LOOPS: dict[str, Callable[[str], str]] = {
    "characters": lambda text: "".join(char for char in text.lower() if char in KEPT),
    "pattern, collapsed": lambda text: re.sub(r"\s+", " ", re.sub(r"[^a-z0-9 ]", "", text.lower())).strip(),
    "pattern": lambda text: re.sub(r"[^a-z0-9 ]", "", text.lower()),
}


def _prepared(normal: Callable[[str], str]) -> Callable[[list[str]], None]:
    facts = [normal(fact.text) for fact in FACTS]

    def loop(answers: list[str]) -> None:
        for answer in answers:
            text = normal(answer)
            [fact in text for fact in facts]

    return loop


def _each_time(normal: Callable[[str], str]) -> Callable[[list[str]], None]:
    def loop(answers: list[str]) -> None:
        for answer in answers:
            text = normal(answer)
            [normal(fact.text) in text for fact in FACTS]

    return loop


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
    """Per kind of text: microseconds an answer (80 words x 5 facts) of the matcher and of each loop."""
    runs = {"matcher": _foldproof, "matcher, spans read": _foldproof_with_spans}
    for name, normal in LOOPS.items():
        runs[f"{name}, prepared"] = _prepared(normal)
        runs[f"{name}, each time"] = _each_time(normal)
    results = {}
    for kind, text in TEXTS.items():
        answers = [f"{text} {number}." for number in range(VARIANTS)]
        best = dict.fromkeys(runs, float("inf"))
        for _ in range(rounds):
            for name, call in runs.items():
                best[name] = min(best[name], _seconds(call, answers) / VARIANTS * 1e6)
        results[kind] = {name: round(value, 2) for name, value in best.items()}
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the normalized matcher against loops written by hand.")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    results = measure()
    if parser.parse_args().json:
        print(json.dumps(results, indent=2))
        return
    print("microseconds an answer (80 words x 5 facts, 3 of them held); x: how many times the matcher's time\n")
    for kind, row in results.items():
        print(f"{kind:<30} {row['matcher']:>7.1f}")
        for name, took in row.items():
            if name != "matcher":
                print(f"  {name:<28} {took:>7.1f}  {took / row['matcher']:>5.1f}x")


if __name__ == "__main__":
    main()
