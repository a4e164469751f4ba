"""What a process or a server is told."""

from urllib.parse import unquote

from foldproof.agents.otel.variables import headers_of, variables_of

URL = "http://127.0.0.1:5/t/abc"


def test_the_trial_is_named_beside_what_is_there():
    told = variables_of("0001-ü,=;/ q-0", URL, {"OTEL_RESOURCE_ATTRIBUTES": "service.name=support,"})
    own, trial = told["OTEL_RESOURCE_ATTRIBUTES"].split(",")
    assert own == "service.name=support"
    assert trial.startswith("foldproof.trial=")
    assert unquote(trial.partition("=")[2]) == "0001-ü,=;/ q-0"
    assert variables_of("t", URL, {})["OTEL_RESOURCE_ATTRIBUTES"] == "foldproof.trial=t"


def test_the_signals_own_variables_are_set_too():
    told = variables_of("t", URL, {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318/v1/traces"})
    assert told["OTEL_EXPORTER_OTLP_ENDPOINT"] == URL
    assert told["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] == f"{URL}/v1/traces"
    assert told["OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"] == f"{URL}/v1/logs"
    assert {told[name] for name in told if name.endswith("PROTOCOL")} == {"http/protobuf"}


def test_what_the_environment_says_of_contents_stays():
    content, opt_in = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "OTEL_SEMCONV_STABILITY_OPT_IN"
    told = variables_of("t", URL, {})
    assert (told[content], told[opt_in]) == ("SPAN_ONLY", "gen_ai_latest_experimental")
    told = variables_of("t", URL, {content: "true", opt_in: "http"})
    assert (told[content], told[opt_in]) == ("true", "http,gen_ai_latest_experimental")
    assert variables_of("t", URL, {opt_in: "gen_ai/dup"})[opt_in] == "gen_ai/dup"
    told = variables_of("t", URL, {"OTEL_LOGS_EXPORTER": "none", "OTEL_METRICS_EXPORTER": "console"})
    assert (told["OTEL_LOGS_EXPORTER"], told["OTEL_METRICS_EXPORTER"]) == ("none", "console")


def test_the_headers_of_a_request():
    assert headers_of("a b", "0" * 31 + "1", "0" * 15 + "2") == {
        "traceparent": "00-00000000000000000000000000000001-0000000000000002-01",
        "baggage": "foldproof.trial=a%20b",
    }
