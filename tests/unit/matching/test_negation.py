"""Each entry of the list both ways: where it negates, and where the word stands and the fact holds."""

import pytest

from foldproof.matching import match_fact
from foldproof.matching.negation import (
    AFTER,
    CANCELLED,
    CONTRACTIONS,
    FILLER_PAIRS,
    FILLERS,
    FOREIGN,
    LANGUAGE_MARKS,
    NEGATORS,
    ONLY_AFTER,
    PORTUGUESE,
)

ENTRIES = sorted({(language, word) for language, words in NEGATORS.items() for word in words.split()})
FILLER_ENTRIES = sorted({(language, word) for language, words in FILLERS.items() for word in words.split()})


def marked(word, text):
    """The text after a sentence that shows the language of a word that is a negator in that language only."""
    marks = LANGUAGE_MARKS[FOREIGN[word][0]].split() if word in FOREIGN else [""]
    return f"{marks[0]}. {text}"


def outcome(fact, text):
    return match_fact(fact, text).outcome


@pytest.mark.parametrize(("language", "word"), ENTRIES)
def test_negator(language, word):
    lead = f"{min(ONLY_AFTER[word])} x " if word in ONLY_AFTER else ""
    cjk = language in ("zh", "ja")
    assert outcome("Zyx", marked(word, f"{lead}{word}{'' if cjk else ' '}Zyx")) == "negated"
    assert outcome("Zyx", marked(word, f"{lead}{word}, Zyx")) == "held"
    assert outcome("Zyx", marked(word, f"{lead}{word} other Zyx")) == "held"
    assert outcome("Zyx", marked(word, f"Zyx {word}")) == "held"


@pytest.mark.parametrize("word", sorted(FOREIGN))
def test_a_negator_that_is_a_common_word_elsewhere(word):
    for language in FOREIGN[word]:
        for mark in LANGUAGE_MARKS[language].split():
            assert outcome("Zyx", f"{mark.replace('_', ' ')}. {word} Zyx") == "negated"
    assert outcome("Zyx", f"The {word} Zyx") == "held"


@pytest.mark.parametrize(("language", "word"), FILLER_ENTRIES)
def test_filler(language, word):
    negator = {"zh": "不"}.get(language, "not")
    if word in FILLER_PAIRS:
        negator += f" {FILLER_PAIRS[word]}"
    assert outcome("Zyx", f"{negator} {word} Zyx") == "negated"
    assert outcome("Zyx", f"we {word} Zyx") == "held"


@pytest.mark.parametrize("stem", sorted(CONTRACTIONS))
@pytest.mark.parametrize("mark", "'’")
def test_contraction(stem, mark):
    assert outcome("Zyx", f"it {stem}{mark}t Zyx") == "negated"
    assert outcome("Zyx", f"it {stem}{mark}s Zyx") == "held"


@pytest.mark.parametrize(("before", "word"), sorted(CANCELLED))
def test_cancelled(before, word):
    assert outcome("Zyx", marked(word, f"{before} {word} Zyx")) == "held"
    assert outcome("Zyx", marked(word, f"{word} Zyx")) == "negated"


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
    ("gluten", "C'est un plat sans gluten"),
    ("gluten", "Una pizza sin gluten"),
    ("carne", "Eu como com o arroz, sem carne"),
    ("carne", "Non che mai carne"),
    ("vegetarian", "She is not\nvegetarian."),
    ("vegetarian", "She is not\r\n**vegetarian**."),
    ("vegetarian", "not\n  a vegetarian"),
    ("牛肉", "不可以吃牛肉"),
    ("牛肉", "别吃牛肉"),
    ("牛肉", "請勿食牛肉"),
    ("牛肉", "我不太喜欢牛肉"),
    ("卵", "卵は食べません"),
    ("卵", "彼は卵を食べない。"),
    ("卵", "卵を食べないと思う"),
    ("卵", "「卵」は 食べません"),
    ("卵", "卵がない"),
    ("卵", "卵無し"),
    ("ORM", "ORM は使わず、raw SQL"),
    ("carne", "no le gusta la carne"),
    ("carne", "no puede comer carne"),
    ("carne", "não gosta de carne"),
    ("vegetarian", "is not at all vegetarian"),
    ("vegetarian", "by no means vegetarian"),
    ("vegetarian", "not a strict vegetarian"),
    ("penicillin", "She must not be given penicillin"),
    ("penicillin", "never give her penicillin"),
    ("penicillin", "not allergic to penicillin"),
    ("MS", "We do not use Comic Sans. No MS"),
    ("gluten", "no nuts no gluten"),
    ("Oracle", "don't use MongoDB and don't use Oracle"),
    ("eggs", "I do not eat meat and never eat eggs"),
    ("pescado", "no come carne ni pescado, por favor"),
    ("pesce", "non mangia carne né pesce"),
    ("Fisch", "weder Fleisch noch Fisch"),
    ("ibuprofen", "I cannot recommend ibuprofen"),
    ("ibuprofen", "I cannot recommend ibuprofen. It is strong enough"),
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
    ("vegetarian", "not\n\nvegetarian"),
    ("vegetarian", "not\r\n\r\nvegetarian"),
    ("vegetarian", "not\n \nvegetarian"),
    ("vegetarian", "not\n- vegetarian"),
    ("vegetarian", "not\n  * vegetarian"),
    ("vegetarian", "not\n1. vegetarian"),
    ("vegetarian", "not\n## vegetarian"),
    ("vegetarian", "not\n| vegetarian |"),
    ("vegetarian", "not\n> vegetarian"),
    ("vegetarian", "not\n“vegetarian”"),
    ("MS", "Set it in Comic Sans MS"),
    ("City", "Sin City"),
    ("Berlin", "Dr. No Berlin"),
    ("hao", "Ni hao"),
    ("image", "a SEM image"),
    ("2026", "le 5 mai 2026, c'est une date"),
    ("2026", "mai 2026, che bello"),
    ("15", "5 mai 15, che bello"),
    ("Berlin", "Im Mai Berlin"),
    ("grata", "persona non grata"),
    ("ibuprofen", "There is no reason not to take ibuprofen"),
    ("ibuprofen", "you can't do without ibuprofen"),
    ("ibuprofen", "never leave home without ibuprofen"),
    ("ibuprofen", "I cannot recommend ibuprofen enough"),
    ("ibuprofen", "I can't recommend ibuprofen highly enough"),
    ("ibuprofen", "Paracetamol, or if not ibuprofen"),
    ("Ibuprofen", "Es gibt keinen Grund nicht Ibuprofen zu nehmen"),
    ("牛肉", "没有不吃牛肉"),
    ("牛肉", "不是不吃牛肉"),
    ("牛肉", "我特别喜欢牛肉"),
    ("牛肉", "别人吃牛肉"),
    ("卵", "卵を食べないといけない"),
    ("卵", "卵だけ食べない"),
    ("卵", "卵は、食べない"),
    ("卵", "「卵」は泳ぐ"),
    ("卵", "卵を食べる人は少ない"),
    ("15", "Not all 15 servers"),
    ("X1", "what it means X1"),
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
