// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Tracing

/// Continues the callers' traces and hands ended spans to the exporter: a backend of swift-distributed-tracing.
struct TraceTracer: Tracer {
    /// The percentage of recorded traces, among those that begin here. For others the caller decides.
    let percent: Int
    let makeIdentifier: @Sendable () -> UUID
    let now: @Sendable () -> Date
    let ended: @Sendable (FinishedSpan) -> Void

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> TraceSpan {
        var context = context()
        let parent = context.trace
        let span = TraceContext(
            trace: parent?.trace ?? Self.digits(makeIdentifier(), 32), span: Self.digits(makeIdentifier(), 16),
            isSampled: parent?.isSampled ?? isChosen(), state: parent?.state)
        context.trace = span
        return TraceSpan(operationName, kind, context, span, parent: parent?.span, start: now(), now: now, ended: ended)
    }

    func activeSpan(identifiedBy context: InstrumentationContext) -> TraceSpan? { nil }

    func forceFlush() {}

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Carrier == Extract.Carrier {
        guard let parent = extractor.extract(key: "traceparent", from: carrier) else { return }
        context.trace = TraceContext(parent: parent, state: extractor.extract(key: "tracestate", from: carrier))
    }

    func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Carrier == Inject.Carrier {
        guard let trace = context.trace else { return }
        injector.inject(trace.parent, forKey: "traceparent", into: &carrier)
        if let state = trace.state { injector.inject(state, forKey: "tracestate", into: &carrier) }
    }

    private func isChosen() -> Bool {
        percent >= 100 || percent > 0 && Int(makeIdentifier().uuid.15) * 100 < percent * 256
    }

    /// The first digits of an identifier; never all zero.
    private static func digits(_ identifier: UUID, _ count: Int) -> String {
        String(identifier.text.replacing("-", with: "").prefix(count))
    }
}
