"""Words that stand in so many answers that a fact made of one of them proves nothing."""

from __future__ import annotations

VERSION = 1
"""Raised with each change of the list, since a change can add warnings to a set that had none."""

_LIST = """
    able about after again all also always an and another any answer are as ask at available back be because been
    before best better both but by call can change check clear come correct could data date day default detail did
    different do does done down each easy either email end error even every example false few find first for found
    from full get give go good great group had has have he help her here high him his how i if important in info
    information is issue it its just keep key kind know last later least less let like list little long look low
    made main make many may me memory message might mine more most much must my name need never new next no none
    not note nothing now number of off ok okay old on once one only open or order other our out over own part
    people person place please point possible problem question read ready really right said same say see set she
    should show small so some soon sorry still such support sure system take team tell text thank thanks that the
    their them then there these they thing think this time to today true try two type under up us use used user
    using usually value very want was way we well were what when where which while who why will with work would
    yes yet you your
"""
COMMON_WORDS = frozenset(_LIST.split())
