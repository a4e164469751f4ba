"""Each entry of the list both ways: where it negates, and where the word stands and the fact holds."""

import pytest

from foldproof.matching import match_fact
from foldproof.matching.negation import (
    AFTER,
    CANCELLED,
    CONTRACTIONS,
    FILLERS,
    NEGATORS,
    ONLY_AFTER,
    PORTUGUESE,
)

ENTRIES = sorted({(language, word) for language, words in NEGATORS.items() for word in words.split()})
FILLER_ENTRIES = sorted({(language, word) for language, words in FILLERS.items() for word in words.split()})


def outcome(fact, text):
    return match_fact(fact, text).outcome


@pytest.mark.parametrize(("language", "word"), ENTRIES)
def test_negator(language, word):
    lead = f"{min(ONLY_AFTER[word])} x " if word in ONLY_AFTER else ""
    cjk = language in ("zh", "ja")
    assert outcome("Zyx", f"{lead}{word}{'' if cjk else ' '}Zyx") == "negated"
    assert outcome("Zyx", f"{lead}{word}, Zyx") == "held"
    assert outcome("Zyx", f"{lead}{word} other Zyx") == "held"
    assert outcome("Zyx", f"Zyx {word}") == "held"


@pytest.mark.parametrize(("language", "word"), FILLER_ENTRIES)
def test_filler(language, word):
    negator = {"zh": "不"}.get(language, "not")
    assert outcome("Zyx", f"{negator} {word} Zyx") == "negated"
    assert outcome("Zyx", f"we {word} Zyx") == "held"


@pytest.mark.parametrize("stem", sorted(CONTRACTIONS))
@pytest.mark.parametrize("mark", "'’")
def test_contraction(stem, mark):
    assert outcome("Zyx", f"it {stem}{mark}t Zyx") == "negated"
    assert outcome("Zyx", f"it {stem}{mark}s Zyx") == "held"


@pytest.mark.parametrize(("before", "word"), sorted(CANCELLED))
def test_cancelled(before, word):
    assert outcome("Zyx", f"{before} {word} Zyx") == "held"
    assert outcome("Zyx", f"{word} Zyx") == "negated"


@pytest.mark.parametrize("word", sorted(ONLY_AFTER))
def test_second_half_of_a_pair_alone(word):
    assert outcome("Zyx", f"ist {word} Zyx") == "held"


@pytest.mark.parametrize("word", [word for language in ("en", "de", "nl") for word in AFTER[language].split()])
def test_hyphen_after_the_hit(word):
    for hyphen in "-\u2010\u2011":
        assert outcome("gluten", f"a gluten{hyphen}{word} cake") == "negated"
    assert outcome("gluten", f"a gluten {word} cake") == "held"
    assert outcome("gluten", f"gluten, {word}") == "held"
    assert outcome("gluten", f"gluten-{word}x") == "held"


@pytest.mark.parametrize("word", AFTER["ja"].split())
def test_japanese_after_the_hit(word):
    assert outcome("猫", f"これは猫{word}") == "negated"
    assert outcome("ABC", f"the ABC {word}") == "negated"
    assert outcome("猫", f"これは猫です。{word}") == "held"
    assert outcome("猫", f"これは猫だけ{word}") == "held"


NEGATED = [
    ("vegetarian", "non-vegetarian"),
    ("vegetarian", "I am no longer vegetarian"),
    ("vegetarian", "not yet vegetarian"),
    ("MongoDB", "don't use MongoDB"),
    ("MongoDB", "I told you not to use MongoDB"),
    ("15", "not $15"),
    ("MongoDB", "never recommend any MongoDB"),
    ("meat", "She doesn't eat meat"),
    ("vegetarian", 'not "vegetarian"'),
    ("gluten", "sans gluten"),
    ("gluten", "pas de gluten"),
    ("végétarien", "il n'est plus végétarien"),
    ("Eier", "weder Milch noch Eier"),
    ("vegetarisch", "nicht mehr vegetarisch"),
    ("vegetariano", "non è vegetariano"),
    ("肉", "我不吃肉"),
    ("MongoDB", "没有MongoDB"),
    ("MongoDB", "NOT MongoDB, neither MongoDB"),
    ("5G", "no 5G"),
    ("raw SQL", "not the raw SQL"),
    ("肉", "我没有吃肉"),
    ("vegetarian", "is\tnot\tvegetarian"),
    ("oil", "without oil"),
]
HELD = [
    ("vegetarian", "No, vegetarian."),
    ("vegetarian", "not only vegetarian"),
    ("vegetarian", "not just vegetarian"),
    ("vegetarian", "not\nvegetarian"),
    ("vegetarian", "Not vegan: vegetarian"),
    ("vegetarian", "no - vegetarian"),
    ("vegetarian", "no — vegetarian"),
    ("vegetarian", "no -- vegetarian"),
    ("vegetarian", "| no | vegetarian |"),
    ("X1", "nothing but X1"),
    ("Postgres", "Why not use Postgres?"),
    ("15", "Room no 15"),
    ("15", "No. 15"),
    ("15", "no more than 15 minutes"),
    ("15 minutes", "no longer than 15 minutes"),
    ("Postgres", "no doubt Postgres"),
    ("Postgres", "not MongoDB but Postgres"),
    ("MongoDB", "要不要用MongoDB"),
    ("MongoDB", "你是不是MongoDB"),
    ("15", "pas plus de 15"),
    ("Postgres", "Use uma réplica no Postgres"),
    ("free", "fat-free"),
    ("15", "差不多15"),
    ("vegetarian", "I am not sure but vegetarian"),
    ("t", "t"),
    ("vegetarian", "not. Vegetarian"),
    ("x", "t x"),
    ("no NSAIDs", "no NSAIDs"),
    ("vegetarian", "I am a really very strictly vegetarian"),
    ("肉", "不，我吃肉"),
    ("MongoDB", "not MongoDB. Use MongoDB"),
    ("vegetarian", "not in any very strictly vegetarian"),
]


@pytest.mark.parametrize(("fact", "text"), NEGATED)
def test_negated(fact, text):
    assert outcome(fact, text) == "negated"


@pytest.mark.parametrize(("fact", "text"), HELD)
def test_held(fact, text):
    assert outcome(fact, text) == "held"


@pytest.mark.parametrize("word", PORTUGUESE)
def test_portuguese_no(word):
    assert outcome("Brasil", f"isto{word}bom no Brasil") == "held"
    assert outcome("Brasil", "no Brasil") == "negated"
