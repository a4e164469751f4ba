"""LangSmith, Langfuse and LangGraph."""

from __future__ import annotations

from .written import lines, told


def run(id_, kind, second=0, trace="t1", parent="t1", **more):
    """One LangSmith run; the top-level `session_id` is the project."""
    dotted = (
        f"20260101T00000{second}Z{trace}" if id_ == trace else f"20260101T000000Z{trace}.20260101T00000{second}Z{id_}"
    )
    about = more.pop("about", {"session_id": "s-1", "user_id": "ada"})
    return {"id": id_, "trace_id": trace, "parent_run_id": None if id_ == trace else parent, "dotted_order": dotted,
            "run_type": kind, "name": more.pop("name", kind), "start_time": f"2026-01-01T00:00:0{second}",
            "session_id": "the-project", "extra": {"metadata": about}, **more}  # fmt: skip


def user(text):
    return {"role": "user", "content": text}


RUNS = [
    run("t1", "chain", 0, inputs={"q": "Where?"}, outputs={"output": "There."}),
    run("r1", "retriever", 1, name="memory", inputs={"query": "Where?"},
        outputs={"documents": [{"page_content": "It is there.", "metadata": {"score": 0.8, "memory_id": "m1"}}]}),
    run("x1", "tool", 2, name="look", inputs={"n": 1}, outputs={"output": "here"}),
    run("l1", "llm", 3, inputs={"messages": [user("Where?")]},
        outputs={"choices": [{"message": {"role": "assistant", "content": "There."}}],
                 "usage_metadata": {"input_tokens": 5, "output_tokens": 2}},
        about={"ls_model_name": "some-model"}),
]  # fmt: skip
TALK = ["read memory: Where? ['It is there.']", 'call look {"n": 1} -> here', "user: Where?", "agent: There."]


def test_langsmith_the_session_is_in_the_metadata_and_never_the_project(read):
    log = read(lines(*reversed(RUNS)))
    assert (log.format, log.only.id, log.only.user) == ("langsmith", "s-1", "ada")
    assert told(log.only) == TALK
    assert (log.only.usage.input_tokens, log.only.model_names) == (5, ("some-model",))
    assert log.only.entries[0].items[0].score == 0.8


def test_langsmith_naive_times_stay_naive(read):
    log = read(lines(*RUNS))
    assert log.only.started.naive
    assert (log.only.started.text, log.tally.naive_times) == ("2026-01-01T00:00:01", 1)


def test_langsmith_without_an_id_of_a_conversation_the_trace_is_the_session(read):
    log = read(lines(run("t9", "llm", trace="t9", about={}, inputs={"messages": [user("Hi")]})))
    assert (log.only.id, log.only.user) == ("t9", "")
    for name in ("thread_id", "conversation_id"):
        one = run("t9", "llm", trace="t9", about={name: "c"}, inputs={"messages": [user("Hi")]})
        assert read(lines(one)).only.id == "c"


def test_langsmith_a_run_whose_ids_are_null_is_read_all_the_same(read):
    one = {**run("t9", "llm", trace="t9", about={}, inputs={"messages": [user("Hi")]}), "id": None, "trace_id": None}
    assert told(read(lines(one)).only) == ["user: Hi"]


def test_langsmith_a_batch_of_the_sdk_with_its_patches(read):
    opened = {**RUNS[3], "outputs": None}
    log = read({"post": [*RUNS[:3], opened], "patch": [{"id": "l1", "trace_id": "t1", "outputs": RUNS[3]["outputs"]}]})
    assert told(log.only) == TALK


def test_langsmith_messages_of_langchain(read):
    constructed = [[{"lc": 1, "type": "constructor", "id": ["langchain", "schema", "HumanMessage"],
                     "kwargs": {"content": "Where?", "type": "human"}}]]  # fmt: skip
    answer = {"generations": [[{"text": "There.", "message": {
        "lc": 1, "id": ["langchain", "AIMessage"], "kwargs": {"content": "There.", "tool_calls": [
            {"name": "look", "args": {"n": 1}, "id": "c1", "type": "tool_call"}]}}}]]}  # fmt: skip
    log = read(lines(run("t1", "llm", inputs={"messages": constructed}, outputs=answer)))
    assert told(log.only) == ["user: Where?", "agent: There.", 'call look {"n": 1} -> None']
    plain = read(
        lines(run("t1", "llm", inputs={"prompts": ["Human: Hi"]}, outputs={"generations": [[{"text": "Hello"}]]}))
    )
    assert told(plain.only) == ["user: Human: Hi", "agent: Hello"]


def test_langsmith_a_trace_without_a_call_of_a_model(read):
    assert told(read(lines(RUNS[0])).only) == ["user: Where?", "agent: There."]


def test_langsmith_a_tool_that_failed(read):
    log = read(lines(run("t1", "tool", name="look", inputs={"input": '{"n": 2}'}, outputs=None, error="timed out")))
    assert told(log.only) == ['call look {"n": 2} ->! timed out']


# --- Langfuse


def observation(id_, kind, second, **more):
    return {"id": id_, "traceId": "tr-1", "type": kind, "name": kind.lower(),
            "startTime": f"2026-01-01T00:00:0{second}.000Z", **more}  # fmt: skip


OBSERVATIONS = [
    observation("o3", "GENERATION", 3, model="some-model", input=[user("Where?")],
                output={"role": "assistant", "content": "There."}, usageDetails={"input": 5, "output": 2}),
    observation("o1", "RETRIEVER", 1, name="memory", input={"query": "Where?"},
                output=[{"id": "m1", "text": "It is there.", "score": 0.8}]),
    observation("o2", "TOOL", 2, name="look", input={"n": 1}, output="here"),
]  # fmt: skip
IDS = {"sessionId": "s-1", "userId": "ada"}
TRACE = {"id": "tr-1", "timestamp": "2026-01-01T00:00:00.000Z", "name": "agent", **IDS, "metadata": {},
         "input": {"messages": [user("Where?")]}, "output": {"role": "assistant", "content": "There."}}  # fmt: skip


def snake(value):
    if isinstance(value, dict):
        return {"".join(f"_{c.lower()}" if c.isupper() else c for c in key): snake(item) for key, item in value.items()}
    return [snake(item) for item in value] if isinstance(value, list) else value


def test_langfuse_a_trace_with_its_observations_in_either_spelling(read):
    whole = {**TRACE, "observations": OBSERVATIONS}
    for one in (whole, snake(whole)):
        log = read(one, name="trace.json")
        assert (log.format, log.only.id, log.only.user) == ("langfuse", "s-1", "ada")
        assert told(log.only) == TALK
        assert (log.only.usage.input_tokens, log.only.model_names) == (5, ("some-model",))
        assert log.only.started.text == "2026-01-01T00:00:01Z"


def test_langfuse_rows_of_observations_carry_the_ids_themselves(read):
    rows = [{**row, **IDS, "isRootObservation": True, "traceName": "agent"} for row in OBSERVATIONS]
    log = read(lines(*rows, rows[0]))
    assert (told(log.only), log.only.user, log.tally.repeats) == (TALK, "ada", 1)


def test_langfuse_a_session_has_no_observations_and_says_so(read):
    log = read({"id": "s-1", "createdAt": "2026-01-01T00:00:00.000Z", "traces": [TRACE]}, name="session.json")
    assert told(log.only) == ["user: Where?", "agent: There."]
    assert any("without observations" in note for note in log.tally.notes)


def test_langfuse_input_and_output_as_text_of_json(read):
    row = observation("o", "GENERATION", 1, input='[{"role": "user", "content": "Hi"}]', output='"Hello"', **IDS)
    assert told(read(lines(row)).only) == ["user: Hi", "agent: Hello"]
    plain = observation("o", "GENERATION", 1, input="Hi", output="Hello", **IDS)
    assert told(read(lines(plain)).only) == ["user: Hi", "agent: Hello"]
    state = observation(
        "o", "GENERATION", 1, input="Hi", output={"messages": [user("Hi"), {"role": "ai", "content": "Yo"}]}
    )
    assert told(read(lines(state)).only) == ["user: Hi", "agent: Yo"]


def test_langfuse_a_table_as_the_page_exports_it(read):
    head = "id,timestamp,input,output,sessionId,userId\n"
    table = head + 'tr-1,2026-01-01T00:00:00Z,"{""question"": ""Where?""}",There.,s-1,ada\n'
    log = read(table, name="traces.csv")
    assert (log.format, log.only.id, log.only.user) == ("langfuse", "s-1", "ada")
    assert told(log.only) == ["user: Where?", "agent: There."]


def test_langfuse_an_observation_of_level_error_failed(read):
    row = observation(
        "o", "TOOL", 1, name="look", input="{}", output=None, level="ERROR", statusMessage="timed out", **IDS
    )
    log = read(lines(row, observation("p", "SPAN", 2)))
    assert told(log.only) == ["call look {} ->! timed out"]
    assert log.tally.aside == {"span observations": 1}


# --- LangGraph


def state(number, *messages, thread="th-1", parent=None, **more):
    """One state of a thread; `parent` is the number of the state before it."""
    before = number - 1 if parent is None else parent
    space = more.pop("space", "")
    config = {"configurable": {"thread_id": thread, "checkpoint_ns": space, "checkpoint_id": f"cp-{number}"}}
    above = {"configurable": {"thread_id": thread, "checkpoint_id": f"cp-{before}"}} if before >= 0 else None
    return {"values": {"messages": list(messages)}, "next": [], "config": config, "parent_config": above,
            "metadata": {"source": "loop", "step": number, "user_id": "ada"},
            "created_at": f"2026-01-01T00:00:{number:02d}+00:00", **more}  # fmt: skip


def said(id_, kind, content, **more):
    return {"id": id_, "type": kind, "content": content, **more}


H1, A1 = (
    said("h1", "human", "Where?"),
    said("a1", "ai", "", tool_calls=[{"name": "look", "args": {"n": 1}, "id": "c1"}]),
)
T1, A2 = said("t1", "tool", "here", tool_call_id="c1", name="look"), said("a2", "ai", "There.")
STATES = [state(0), state(1, H1), state(2, H1, A1), state(3, H1, A1, T1), state(4, H1, A1, T1, A2)]
GRAPH = ["user: Where?", 'call look {"n": 1} -> here', "agent: There."]


def test_langgraph_each_state_holds_the_whole_list_and_only_changes_are_told(read):
    log = read(list(reversed(STATES)), name="history.json")
    assert (log.format, log.only.id, log.only.user) == ("langgraph", "th-1", "ada")
    assert told(log.only) == GRAPH
    assert log.only.started.text == "2026-01-01T00:00:01Z"
    assert told(read(lines(STATES[-1])).only) == GRAPH


def test_langgraph_what_an_answer_used_is_counted_once(read):
    used = {
        "usage_metadata": {"input_tokens": 5, "output_tokens": 2},
        "response_metadata": {"model_name": "some-model"},
    }
    states = [state(1, H1), state(2, H1, {**A1, **used}), state(3, H1, {**A1, **used}, {**A2, **used})]
    log = read(states, name="history.json")
    used_in_all = (log.only.usage.input_tokens, log.only.usage.output_tokens)
    assert (used_in_all, log.only.model_names) == ((10, 4), ("some-model",))


def test_langgraph_a_shorter_list_is_a_fold(read):
    h2 = said("h2", "human", "And now?")
    log = read([*STATES, state(5, A2, h2)], name="history.json")
    assert told(log.only)[3:] == ["fold trimmed: user: Where?\nagent: \ntool: ", "user: And now?"]
    assert log.tally.turns["user"] == 2


def test_langgraph_a_fork_leaves_the_older_branch(read):
    fork = state(9, H1, said("z", "ai", "Elsewhere."), parent=1)
    log = read([*STATES, fork], name="history.json")
    assert told(log.only) == ["user: Where?", "agent: Elsewhere."]
    assert log.only.abandoned == 3


def test_langgraph_a_subgraph_stands_apart(read):
    log = read([*STATES, state(20, said("i", "ai", "inner"), space="sub:1", parent=-1)], name="history.json")
    assert told(log.only) == GRAPH
    assert [(side.id, told(side)) for side in log.only.sidechains] == [("sub:1", ["agent: inner"])]


def test_langgraph_checkpoints_of_a_saver(read):
    inner = {"ts": "2026-01-01T00:00:00+00:00", "channel_values": {"messages": [H1, A2]}}
    one = {"config": STATES[0]["config"], "checkpoint": inner, "metadata": {"step": 1}}
    log = read(lines(one))
    assert told(log.only) == ["user: Where?", "agent: There."]
    empty = read(lines({**one, "checkpoint": {"ts": inner["ts"], "channel_versions": {}}}))
    assert empty.sessions == []
    assert any("hold no values" in note for note in empty.tally.notes)


def test_langgraph_items_of_a_store_are_writes(read):
    item = {"namespace": ["memories", "ada"], "key": "m1", "value": {"text": "Likes tea."},
            "updated_at": "2026-01-02T00:00:00+00:00"}  # fmt: skip
    log = read([item], name="store.json")
    assert told(log.only) == ["write store memories/ada: Likes tea. ['Likes tea.']"]
    assert (log.only.user, log.tally.memory_writes) == ("", 1)
    assert any("not in the checkpoints" in note for note in log.tally.notes)


def test_langgraph_two_threads_are_two_sessions(read):
    log = read(lines(*STATES, state(1, H1, thread="th-2", parent=-1)))
    assert sorted(log.by_id()) == ["th-1", "th-2"]


def test_langsmith_answers_in_their_other_shapes(read):
    shapes = (
        ({"messages": [user("Hi"), {"type": "ai", "content": "Yo"}]}, "agent: Yo"),
        ({"role": "assistant", "content": "Yo"}, "agent: Yo"),
        ({"output": "Yo"}, "agent: Yo"),
        ({"output": {"text": "Yo", "n": 1}}, 'agent: Yo'),
    )  # fmt: skip
    for outputs, answer in shapes:
        log = read(lines(run("t1", "llm", inputs={"messages": [user("Hi")]}, outputs=outputs)))
        assert told(log.only) == ["user: Hi", answer]
    silent = read(lines(run("t1", "llm", inputs={"messages": [user("Hi")]}, outputs={})))
    assert told(silent.only) == ["user: Hi"]


def test_items_of_a_retrieval_in_their_other_shapes(read):
    shapes = (("plain", ["plain"]), (["a", {"value": 3}], ["a", "3"]), ({"text": "one"}, ["one"]), (7, []),
              ([{"document": {"content": "x", "score": 10**400}}], ["x"]))  # fmt: skip
    for output, texts in shapes:
        log = read(lines({**OBSERVATIONS[1], "output": output}))
        assert [item.text for item in log.only.entries[0].items] == texts
