"""The OpenTelemetry observer: what an instrumented agent exports, read as evidence, with no code of ours in it."""

from foldproof.agents.otel.observer import open_otel

__all__ = ["open_otel"]
