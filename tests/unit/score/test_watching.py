"""What the sources beside the adapter have to say of themselves."""

from foldproof.logs import Seen
from foldproof.record import Trial
from foldproof.score import CaseScore, TrialScore
from foldproof.score.watching import fault_notes, watch_notes


def _trial(repeat, *notes, building=()):
    return Trial("q", repeat, seen=(Seen("otel", notes=notes),), building=(Seen("wire", notes=building),))


def test_each_remark_is_told_once_with_its_trials():
    trials = [_trial(0, "no span", "no span"), _trial(1, "no span", building=("cut",)), _trial(2)]
    assert watch_notes(trials) == ("otel: no span (2 of 3 trials)", "wire: cut (1 of 3 trials)")
    assert watch_notes([]) == watch_notes([_trial(0)]) == ()


def test_the_commonest_are_told_and_the_rest_counted():
    trials = [_trial(0, *"abcde"), _trial(1, "e")]
    told = watch_notes(trials)
    assert told[0] == "otel: e (2 of 2 trials)"
    assert told[-1] == "2 more remarks of what was seen beside the agent: see `foldproof explain`"
    assert len(told) == 4


def test_faults_of_simulated_users_are_told_once_and_the_first_few():
    def score(name, *trials):
        return CaseScore(name, "episodic", tuple(TrialScore(0, outcome, faults=faults) for outcome, faults in trials))

    scores = {"a": score("a", ("pass", ("x", "y")), ("fail", ("x",)), ("error", ("decided",))), "b": score("b")}
    told = "a fault of the simulated user decided nothing:"
    assert fault_notes(scores) == (f"a: {told} x", f"a: {told} y")
    many = {"c": score("c", ("pass", tuple("123456")))}
    assert fault_notes(many)[-2:] == (f"c: {told} 3", "3 more faults of simulated users: see `foldproof explain`")
    assert fault_notes({}) == ()
