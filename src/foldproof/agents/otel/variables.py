"""What an agent is told, so that its spans come to the receiver and name their trial: variables, or headers."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from foldproof.agents.otel.spans import TRIAL

BATCH_DELAY_MS = 100
_CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_OPT_IN = "OTEL_SEMCONV_STABILITY_OPT_IN"
_LATEST = "gen_ai_latest_experimental"
_FIXED = {
    "OTEL_SDK_DISABLED": "false",
    "OTEL_TRACES_EXPORTER": "otlp",
    "OTEL_TRACES_SAMPLER": "parentbased_always_on",  # a sampled trace would make a hole in the evidence
    "OTEL_BSP_SCHEDULE_DELAY": str(BATCH_DELAY_MS),
    "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "64",  # spans with whole prompts are large, and a body has a bound
    "OTEL_BLRP_SCHEDULE_DELAY": str(BATCH_DELAY_MS),
    # A flattened conversation has more attributes than the usual limit of 128; what is cut cannot be judged.
    "OTEL_ATTRIBUTE_COUNT_LIMIT": "100000",
    "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT": "100000",
    "OTEL_SPAN_EVENT_COUNT_LIMIT": "100000",
    "OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT": "100000",
    "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT": "10000000",
    "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT": "10000000",
}


def variables_of(trial: str, endpoint: str, environ: Mapping[str, str]) -> dict[str, str]:
    """The variables of a process whose spans shall come to `endpoint`; what the environment says of contents stays.

    Exporters prefer the variables of a signal to the general ones, so those are set too.
    """
    attributes = environ.get("OTEL_RESOURCE_ATTRIBUTES", "").strip(", ")
    opted = environ.get(_OPT_IN, "").strip(", ")
    return {
        **_FIXED,
        "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{endpoint}/v1/traces",
        "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf",
        "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": f"{endpoint}/v1/logs",
        "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL": "http/protobuf",
        "OTEL_LOGS_EXPORTER": environ.get("OTEL_LOGS_EXPORTER", "otlp"),
        "OTEL_METRICS_EXPORTER": environ.get("OTEL_METRICS_EXPORTER", "none"),
        "OTEL_RESOURCE_ATTRIBUTES": f"{attributes},{_entry(trial)}" if attributes else _entry(trial),
        _OPT_IN: opted if "gen_ai" in opted else f"{opted},{_LATEST}" if opted else _LATEST,
        _CONTENT: environ.get(_CONTENT) or "SPAN_ONLY",
    }


def headers_of(trial: str, trace: str, span: str) -> dict[str, str]:
    """The headers of a request whose spans shall name the trial: W3C trace context and baggage."""
    return {"traceparent": f"00-{trace}-{span}-01", "baggage": _entry(trial)}


def _entry(trial: str) -> str:
    return f"{TRIAL}={quote(trial, safe='')}"
