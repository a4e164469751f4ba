"""The agent of `triage.py`: it knows some things of the world, can count, and looks up what its user told it.

It was written before the log and without it. An answer comes from the tables below, from what stands before the
question, or from its memory, which is one of the demo's.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from foldproof.agents import MemoryItem, Reply, SessionInfo
from foldproof.agents.memories import Resources, make_memory
from foldproof.logs import History

CAPITALS = """
    Albania Tirana, Argentina Buenos Aires, Australia Canberra, Austria Vienna, Belgium Brussels, Bolivia Sucre,
    Brazil Brasilia, Bulgaria Sofia, Canada Ottawa, Chile Santiago, China Beijing, Colombia Bogota, Croatia Zagreb,
    Cuba Havana, Cyprus Nicosia, Denmark Copenhagen, Ecuador Quito, Egypt Cairo, Estonia Tallinn, Ethiopia Addis
    Ababa, Finland Helsinki, France Paris, Germany Berlin, Ghana Accra, Greece Athens, Hungary Budapest, Iceland
    Reykjavik, India Delhi, Indonesia Jakarta, Iran Tehran, Iraq Baghdad, Ireland Dublin, Israel Jerusalem, Italy
    Rome, Jamaica Kingston, Japan Tokyo, Jordan Amman, Kenya Nairobi, Laos Vientiane, Latvia Riga, Lebanon Beirut,
    Libya Tripoli, Lithuania Vilnius, Luxembourg Luxembourg, Malaysia Kuala Lumpur, Malta Valletta, Mongolia
    Ulaanbaatar, Morocco Rabat, Namibia Windhoek, Nepal Kathmandu, Netherlands Amsterdam, Nigeria Abuja, Norway
    Oslo, Oman Muscat, Pakistan Islamabad, Paraguay Asuncion, Peru Lima, Philippines Manila, Poland Warsaw, Portugal
    Lisbon, Qatar Doha, Romania Bucharest, Russia Moscow, Rwanda Kigali, Senegal Dakar, Serbia Belgrade, Slovakia
    Bratislava, Slovenia Ljubljana, Spain Madrid, Sudan Khartoum, Sweden Stockholm, Switzerland Bern, Syria
    Damascus, Taiwan Taipei, Thailand Bangkok, Tunisia Tunis, Turkey Ankara, Uganda Kampala, Ukraine Kyiv, Uruguay
    Montevideo, Vietnam Hanoi, Zambia Lusaka, Zimbabwe Harare
"""
ELEMENTS = """
    hydrogen H, helium He, lithium Li, carbon C, nitrogen N, oxygen O, sodium Na, magnesium Mg, aluminium Al,
    silicon Si, phosphorus P, sulphur S, chlorine Cl, argon Ar, potassium K, calcium Ca, titanium Ti, chromium Cr,
    manganese Mn, iron Fe, cobalt Co, nickel Ni, copper Cu, zinc Zn, silver Ag, tin Sn, tungsten W, gold Au, mercury
    Hg, lead Pb
"""
UNITS = {("miles", "kilometres"): 1.609344, ("kilometres", "miles"): 0.621371, ("pounds", "kilograms"): 0.45359237,
         ("kilograms", "pounds"): 2.204623, ("inches", "centimetres"): 2.54, ("feet", "metres"): 0.3048,
         ("litres", "pints"): 1.759754, ("ounces", "grams"): 28.349523}  # fmt: skip
COUNTING = {"plus": lambda a, b: a + b, "minus": lambda a, b: a - b, "times": lambda a, b: a * b,
            "divided by": lambda a, b: a / b}  # fmt: skip
MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
          "december")  # fmt: skip
_IDLE = """
    a about an and are at be by can could do does for from go had has have how i in is it keep kept may me much must
    my of on or our please remind should take tell that the this to us was we what when where which who why will
    with would you your
"""
IDLE = frozenset(_IDLE.split())
DATE = re.compile(rf"(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}})", re.IGNORECASE)
UNKNOWN = "I don't know that."


def pairs(text: str) -> dict[str, str]:
    """The table of a text: a word and what belongs to it, between commas."""
    rows = (row.split(maxsplit=1) for row in " ".join(text.split()).split(", "))
    return {name.lower(): value for name, value in rows}


WORLD = {"capital": pairs(CAPITALS), "symbol": pairs(ELEMENTS)}


def plain(number: float) -> str:
    """A number without needless digits."""
    return f"{number:.1f}".removesuffix(".0")


def of_the_world(question: str) -> str:
    """What anybody could say to a question, or nothing."""
    asked = question.lower()
    words = re.findall(r"[a-z]+", asked)
    for kind, table in WORLD.items():
        if kind in words:
            found = next((table[word] for word in words if word in table), "")
            return f"It is {found}." if found else ""
    for word, count in COUNTING.items():
        if match := re.search(rf"(\d+(?:\.\d+)?) {word} (\d+(?:\.\d+)?)", asked):
            return f"That makes {plain(count(float(match[1]), float(match[2])))}."
    if match := re.search(r"(\d+) (?:%|percent) of (\d+)", asked):
        return f"That makes {plain(int(match[1]) * int(match[2]) / 100)}."
    for (one, other), factor in UNITS.items():
        match = re.search(rf"(\d+) {one}", asked)
        if match and other in words:
            return f"About {plain(int(match[1]) * factor)} {other}."
    match = DATE.search(asked)
    if match and "weekday" in words:
        day = date(int(match[3]), MONTHS.index(match[2].lower()) + 1, int(match[1]))
        return f"That is a {day:%A}."
    return ""


def words_of(text: str) -> set[str]:
    """The words that say what a text is about, without the ends that English puts on them."""
    found = (word for word in re.findall(r"[a-z]+", text.lower()) if word not in IDLE)
    return {re.sub(r"(?:ing|ed|es|s)$", "", word) for word in found}


class Assistant:
    """An assistant in front of a memory of the demo: it reads what that recalls, and answers with a line or two."""

    def __init__(self, memory_config: dict) -> None:
        self.memory = make_memory(memory_config, Resources(Path()))

    async def ingest(self, history: History) -> None:
        """Build the memory."""
        await self.memory.build(history)

    async def fold(self) -> None:
        """Let it compact."""
        await self.memory.fold()

    async def memories(self, user: str) -> Sequence[MemoryItem]:  # noqa: ARG002  # the protocol's own signature
        """Everything that it holds."""
        return await self.memory.items()

    async def start_session(self, info: SessionInfo) -> Assistant:  # noqa: ARG002  # as above
        """A session knows what the memory knows, and nothing else."""
        return self

    async def reply(self, message: str) -> Reply:
        """What is known of the world, else what was told."""
        before, _, question = message.rpartition("\n\nQuestion: ")
        known = before.splitlines()[1:]
        recall = await self.memory.recall(question)
        held = [item.text for item in recall.items]
        text = of_the_world(question) or "\n".join([*known, *look_up(question, held)]) or UNKNOWN
        return Reply(text, memory_reads=recall.reads, prompt="\n".join([*known, *held, question]))


def look_up(question: str, lines: Sequence[str]) -> list[str]:
    """The two lines that share the rarest words with a question, the best first; of equals the one said last."""
    asked = words_of(question)
    stated = [line for line in lines if "?" not in line]
    counts = Counter(word for line in stated for word in words_of(line))
    weights = {
        line: sum(math.log(1 + len(stated) / counts[word]) for word in words_of(line) & asked)
        for line in reversed(stated)
    }
    best = sorted(weights, key=lambda line: -weights[line])[:2]
    return [line for line in best if weights[line] > 0]
