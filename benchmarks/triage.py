"""From a log of 200 questions to a set: mined, sorted with and without the memory, held against what was planted.

60 % of the questions need no memory, 25 % are answered by the memory under test, 15 % are not. Then the chosen set is
run, accepted and checked. Every command is a process of its own.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

USERS = ("engineer", "traveller", "baker", "gardener", "teacher", "organiser")
START = 1_767_225_600
FILLERS_A_USER = 80

SAFETY = """
    queue worker Friday, payment switch Monday, ledger export Sunday, deck oven Saturday, sourdough room Tuesday,
    greenhouse pump Wednesday, beehive lid Thursday, exam server Friday, stage hoist Sunday, night boiler Monday,
    pond filter Saturday
"""
PEOPLE = """
    auditor Ines Carvalho, landlord Tobias Renner, accountant Odile Brandvik, dentist Marta Kolczak, plumber Janus
    Ravndal, caretaker Lene Osgood, headmaster Pavel Zeman, insurer Greta Malmros, notary Hugo Sterling, vet Signe
    Aukland, printer Carlo Benzi, florist Wanda Ferro
"""
LIKES = """
    breakfast rye bread with butter, flights the window seat, meetings a short agenda, birthdays lemon cake with
    poppy seeds, trains the quiet coach, invoices plain numbered lists, hotels a room facing the yard, picnics cold
    cucumber soup, letters heavy cream paper, evenings green jasmine tea, concerts the upper balcony
"""
FAILED = """
    dishwasher, gearbox, projector, doorbell, freezer, wheelbarrow, telescope, loudspeaker, kiln, elevator, mower,
    scanner
"""
NUMBERS = """
    staging port 8443, gate code 5512, locker number 2071, refund limit 750, parcel weight 3820, hotel room 614, bus
    line 189, pension contract 90417, meter reading 66210, ticket price 4350, router channel 1113, seed batch 7702
"""
MOVED = """
    backup Lisbon, archive Tomar, piano Leipzig, trailer Uppsala, microscope Ghent, sewing machine Malmo, canoe
    Turku, library card Porto, tent Bergen, harvest press Graz, choir robe Bruges, chess set Basel
"""
IN_OTHER_WORDS = (
    ("Ring Amalie Thorsen if the yearly sums do not add up.", "Who is our bookkeeper?", "That is Amalie Thorsen."),
    ("Nils takes over once I am ill, his extension ends in 4471.", "What is the number of my deputy?", "It is 4471."),
    ("Bring 325 along, that is what they charge at the door.", "What does admission cost?", "It is 325."),
    ("We all meet on 9 May 2026, mother turns seventy.", "When is the family party?", "It is on 9 May 2026."),
    ("Everything heavy goes by way of Antwerp.", "Through which harbour do we ship?", "You ship through Antwerp."),
    ("Pick me up at Rosenlund, the blue house.", "Where do I live?", "You live in Rosenlund."),
)  # fmt: skip
NEVER_TOLD = (
    ("What is the tracking code of my new lamp?", "The shop's system says 88123."),
    ("When does the museum tour begin?", "Their page says 14:45."),
    ("Who signs for the grant?", "According to the register it is Ulla Henschel."),
    ("What was the closing balance?", "The statement says 12904."),
)
CAPITALS = """
    Norway Oslo, Portugal Lisbon, Kenya Nairobi, Peru Lima, Japan Tokyo, Latvia Riga, Ghana Accra, Chile Santiago,
    Austria Vienna, Greece Athens, Cuba Havana, Egypt Cairo, Finland Helsinki, Ireland Dublin, Jordan Amman, Nepal
    Kathmandu, Oman Muscat, Poland Warsaw, Qatar Doha, Romania Bucharest, Senegal Dakar, Thailand Bangkok, Uganda
    Kampala, Vietnam Hanoi, Zambia Lusaka, Belgium Brussels, Croatia Zagreb, Denmark Copenhagen, Estonia Tallinn,
    France Paris, Hungary Budapest, Iceland Reykjavik, Iraq Baghdad, Lebanon Beirut, Malta Valletta, Namibia
    Windhoek, Serbia Belgrade, Sweden Stockholm, Tunisia Tunis, Ukraine Kyiv
"""
SYMBOLS = """
    iron Fe, gold Au, lead Pb, silver Ag, tin Sn, zinc Zn, copper Cu, nickel Ni, cobalt Co, helium He, mercury Hg,
    sodium Na, argon Ar, calcium Ca
"""
UNKNOWN = (("What is the capital of Bhutan?", "The capital of Bhutan is Thimphu."),
           ("What is the capital of Fiji?", "The capital of Fiji is Suva."),
           ("Which city is the capital of Andorra?", "I believe the capital of Andorra is La Vella."))  # fmt: skip
IN_THE_QUESTION = (
    ("The 14:05 leaves from platform 3, the 15:10 from platform 8: where does the 15:10 leave?", "From platform 8."),
    ("Order 4021 has the blender and order 4022 the kettle, which order has the kettle?", "That is order 4022."),
    ("Between 318 and 381, which is the larger?", "The larger is 381."),
    ("Is 2 March 2026 before or after 12 March 2026?", "Well, 2 March 2026 comes before 12 March 2026."),
)  # fmt: skip
YES_OR_NO = (("Is a tomato a fruit?", "Yes, botanically it is."),
             ("Do whales sleep?", "They do, half of the brain at a time."),
             ("Can I freeze bread?", "Yes, that works well."))  # fmt: skip
FILLERS = ("The {} was late again and nobody minded.", "We sat by the {} until it grew dark.",
           "My {} needs some paint.", "There was a long talk about the {} over lunch.", "I washed the {} and slept.",
           "Somebody left a {} on the stairs.", "The {} looks fine from far away.", "Nobody wants the old {} any more.",
           "It rained on the {} all afternoon.")  # fmt: skip
FILLER_THINGS = ("tram", "bench", "fence", "cupboard", "bicycle", "curtain", "carpet", "ladder", "bucket", "mirror",
                 "sofa", "basket", "candle", "pillow", "kettle", "hedge", "stove", "violin", "blanket")  # fmt: skip
SMALL_TALK = ("hello", "thanks!", "ok", "/clear", "Good morning!")

NEEDLESS, ANSWERED, LOST = "needs no memory", "answerable", "not"
RULES = {
    "unknown": "the agent under test does not know it, and it was never told: triage says what this agent needs",
    "in the question": "all that the logged answer names stands in the question, so no fact could be drafted",
    "a common word": "the logged answer names only a word of every text (He, helium), which proves nothing",
    "yes or no": "the logged answer holds no date, number or name, so no fact could be drafted",
}
"""Why triage may say something else than what was planted, by the kind of question."""
PRINTED = {"unknown": LOST, "a common word": "undecided", "in the question": "undecided", "yes or no": "undecided"}


@dataclass(frozen=True)
class Planted:
    """A question with its logged answer: what was planted, and what the user had said before, long ago or not."""

    question: str
    answer: str
    truth: str
    kind: str
    told: str = ""
    early: bool = False

    @property
    def printed(self) -> str:
        """What triage should print, by the rules."""
        return PRINTED.get(self.kind, self.truth)


def rows(table: str) -> list[tuple[str, str]]:
    """The rows of a table, each a name and its value: from the first capital or digit on, else all but one word."""
    found = []
    for row in split(table):
        words = row.split()
        at = next((at for at, word in enumerate(words) if at and (word[0].isupper() or word[0].isdigit())), 1)
        found.append((" ".join(words[:at]), " ".join(words[at:])))
    return found


def split(table: str) -> list[str]:
    """What stands between the commas of a table."""
    return " ".join(table.split()).split(", ")


def facts() -> Iterator[tuple[str, str, str]]:
    """What users told: the statement, a question about it, and the answer."""
    day = date(2026, 3, 3)
    kinds: list[list[tuple[str, str, str]]] = [
        [(f"Never touch the {one} on a {value}.", f"When must the {one} be left alone?", f"Never on a {value}.")
         for one, value in rows(SAFETY)],
        [(f"Our {one} is called {value}.", f"Who is our {one}?", f"That is {value}.") for one, value in rows(PEOPLE)],
        [(f"I prefer {value} for {one}.", f"What do I like for {one}?", f"You like {value}.")
         for one, value in rows(LIKES)],
        [(f"The {one} broke down on {(when := day + timedelta(days=3 * at)).day} {when:%B} 2026.",
          f"On which day did the {one} break down?", f"That was on {when.day} {when:%B} 2026.")
         for at, one in enumerate(split(FAILED))],
        [(f"The {one} is {value}.", f"What is the {one}?", f"It is {value}.") for one, value in rows(NUMBERS)],
        [(f"On {(when := day + timedelta(days=5 * at)).day} {when:%B} 2026 we brought the {one} to {value}.",
          f"Where is the {one} now?", f"It is in {value}.") for at, (one, value) in enumerate(rows(MOVED))],
    ]  # fmt: skip
    for at in range(max(map(len, kinds))):
        yield from (kind[at] for kind in kinds if at < len(kind))


def general(rng: random.Random) -> Iterator[Planted]:
    """What anybody could answer."""
    forms = ("What is the capital of {}?", "Which city is the capital of {}?", "Do you know the capital of {}?")
    found = [(forms[at % 3].format(one), f"The capital of {one} is {value}.")
             for at, (one, value) in enumerate(rows(CAPITALS))]  # fmt: skip
    found += [(f"What is the chemical symbol of {one}?", f"Its symbol is {value}.") for one, value in rows(SYMBOLS)]
    for _ in range(13):
        one, other = rng.randrange(101, 999), rng.randrange(11, 99)
        found += [(f"What is {one} plus {other}?", f"That is {one + other}."),
                  (f"How much is {one} times {other}?", f"It comes to {one * other}.")]  # fmt: skip
    found += [(f"How much is {share} % of {4 * of}?", f"It is {share * 4 * of / 100:.1f}".removesuffix(".0") + ".")
              for share, of in [(rng.randrange(3, 19) * 5, rng.randrange(30, 90) * 5) for _ in range(8)]]  # fmt: skip
    for at in range(20):
        amount, (unit, into, factor) = rng.randrange(12, 90), (("miles", "kilometres", 1.609344),
                                                              ("pounds", "kilograms", 0.453592))[at % 2]  # fmt: skip
        made = f"{amount * factor:.1f}".removesuffix(".0")
        found.append((f"How many {into} are {amount} {unit}?", f"That is about {made} {into}."))
    for _ in range(8):
        day = date(2026, 1, 1) + timedelta(days=rng.randrange(360))
        found.append((f"Which weekday is {day.day} {day:%B} 2026?", f"{day.day} {day:%B} 2026 is a {day:%A}."))
    rng.shuffle(found)
    kinds = {f"Its symbol is {value}.": "a common word" for value in ("He", "As", "At", "In", "No")}
    return (Planted(asked, told, NEEDLESS, kinds.get(told, "known")) for asked, told in dict(found).items())


def planted(questions: int, seed: int) -> list[Planted]:
    """The questions: 60 % need no memory, 25 % are answered by the memory, 15 % are not."""
    rng = random.Random(seed)
    needless, answered = questions * 60 // 100, questions * 25 // 100
    lost = questions - needless - answered
    kinds = {"in the question": IN_THE_QUESTION, "yes or no": YES_OR_NO, "unknown": UNKNOWN}
    odd = [Planted(*one, NEEDLESS, kind) for kind, ones in kinds.items() for one in ones]
    odd = rng.sample(odd, needless * len(odd) // 120)
    other = [Planted(question, answer, LOST, "told in other words", told) for told, question, answer in IN_OTHER_WORDS]
    never = [Planted(question, answer, LOST, "never told") for question, answer in NEVER_TOLD]
    gone = [*other[: lost // 5], *never[: lost // 7]]
    told = list(facts())
    early = [Planted(question, answer, LOST, "told too early", said, early=True)
             for said, question, answer in told[: lost - len(gone)]]  # fmt: skip
    recent = [Planted(question, answer, ANSWERED, "told", said) for said, question, answer in told[-answered:]]
    known = list(general(rng))[: needless - len(odd)]
    found = [*known, *odd, *recent, *early, *gone]
    assert len(found) == len({one.question for one in found}) == questions, (len(found), questions)
    return found


def write_log(path: Path, questions: int = 200, *, seed: int = 1) -> list[Planted]:
    """Write a log of calls, one a line; what was planted in it."""
    rng = random.Random(seed)
    whole = planted(questions, seed)
    by_user: dict[str, list[Planted]] = {user: [] for user in USERS}
    for at, one in enumerate(whole):
        by_user[USERS[at % len(USERS)]].append(one)
    with path.open("w", encoding="utf-8") as file:
        for number, user in enumerate(USERS):
            talk = list(talk_of(by_user[user], rng))
            for at, (said, answer) in enumerate(talk):
                request = {"messages": [{"role": "user", "content": said}], "user": user,
                           "metadata": {"session_id": f"{user}-{at // 12 + 1}"}}  # fmt: skip
                choices = [{"message": {"role": "assistant", "content": answer}}]
                created = START + at * 9_000 + number * 60
                file.write(
                    json.dumps({"request": request, "response": {"created": created, "choices": choices}}) + "\n"
                )
    return whole


def talk_of(asked: list[Planted], rng: random.Random) -> Iterator[tuple[str, str]]:
    """What one user says, and what is answered: early facts, long talk of nothing, recent facts, then questions."""
    for one in asked:
        if one.early:
            yield one.told, "Noted."
    fillers = [form.format(thing) for form in FILLERS for thing in FILLER_THINGS]
    for text in rng.sample(fillers, FILLERS_A_USER):
        yield text, "I see."
    recent = [one for one in asked if one.told and not one.early]
    for one in rng.sample(recent, len(recent)):
        yield one.told, "Noted."
    for one in rng.sample(asked, len(asked)):
        if rng.random() < 0.2:
            yield rng.choice(SMALL_TALK), "Hello."
        yield one.question, one.answer
        # Asked again, the answer stands in the past: what the memory is not to know is asked once.
        if rng.random() < 0.1 and one.kind in {"known", "told"}:
            yield one.question.lower(), one.answer


PROJECT = """\
foldproof: 1
replay_set: replay.yaml
baseline: production
configs:
  production: {agent: "python:triage_agent:Assistant", memory: {kind: window, turns: 130}}
  longer: {agent: "python:triage_agent:Assistant", memory: {kind: window, turns: 160}}
  verbatim: {agent: "python:triage_agent:Assistant", memory: {kind: verbatim, k: 8}}
  short: {agent: "python:triage_agent:Assistant", memory: {kind: window, turns: 10}}
"""
CANDIDATES = ("longer", "verbatim", "short")


def foldproof(folder: Path, *words: str, codes: tuple[int, ...] = (0,)) -> str:
    """Run one command; what it printed."""
    command = [sys.executable, "-m", "foldproof", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        raise SystemExit(f"foldproof {' '.join(words)}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def deviations(whole: list[Planted], document: Mapping[str, object]) -> list[tuple[Planted, str]]:
    """The planted questions whose bucket is another than what was planted."""
    sides = {"keep": ANSWERED, "canary": ANSWERED, "backlog": LOST, "broken": LOST}
    found = {case["question"]: case["bucket"] for case in document["cases"] if case["logged"]}
    buckets = {one.question: sides.get(bucket, bucket) for one in whole
               for bucket in [found.get(one.question, found.get(one.question.lower(), "gone"))]}  # fmt: skip
    return [(one, buckets[one.question]) for one in whole if buckets[one.question] != one.truth]


def measure(folder: Path, questions: int, *, seed: int = 1, choose: str = "20") -> dict[str, object]:
    """The whole journey in a folder: what was planted, what was printed, and the codes of the last commands."""
    whole = write_log(folder / "log.jsonl", questions, seed=seed)
    (folder / "foldproof.yaml").write_text(PROJECT, "utf-8")
    shutil.copy(Path(__file__).with_name("triage_agent.py"), folder)
    foldproof(folder, "mine", "log.jsonl", "--sample", str(questions), "--to", "candidates.yaml")
    sorting = ("triage", "production", "--set")
    document = json.loads(
        foldproof(folder, *sorting, "candidates.yaml", "--choose", choose, "--to", "chosen.yaml", "--json")
    )
    confirmed = foldproof(folder, *sorting, "chosen.yaml", "--confirm", "--to", "replay.yaml")
    foldproof(folder, "run", "production")
    foldproof(folder, "baseline", "accept")
    checks = {name: foldproof(folder, "check", name, codes=(0, 1)).partition("\n")[0] for name in CANDIDATES}
    odd = deviations(whole, document)
    return {
        "questions": len(whole),
        "planted": dict(Counter(one.truth for one in whole)),
        "summary": document["summary"],
        "counts": document["counts"],
        "confirmed": confirmed.partition("\n")[0],
        "checks": checks,
        "deviations": [
            {"question": one.question, "planted": one.truth, "printed": told, "rule": RULES.get(one.kind, "")}
            for one, told in odd
        ],
        "unexplained": [one.question for one, told in odd if told != one.printed],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--into", type=Path, help="an empty folder that keeps what was made")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as spare:
        folder = asked.into or Path(spare)
        folder.mkdir(parents=True, exist_ok=True)
        found = measure(folder, asked.questions, seed=asked.seed)
    if asked.json:
        print(json.dumps(found))
    else:
        print(f"planted: {', '.join(f'{count} {name}' for name, count in found['planted'].items())}")
        print(f"printed: {found['summary']}")
        for one in found["deviations"]:
            print(f"  {one['planted']} -> {one['printed']}: {one['question']}\n    {one['rule'] or 'no rule'}")
        print(f"confirmed: {found['confirmed']}")
        for name, line in found["checks"].items():
            print(f"check {name}: {line}")
    if found["unexplained"]:
        raise SystemExit(f"not explained by any rule: {found['unexplained']}")


if __name__ == "__main__":
    main()
