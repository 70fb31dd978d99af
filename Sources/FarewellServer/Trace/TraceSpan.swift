// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Tracing

/// A finished span.
struct FinishedSpan: Sendable {
    let context: TraceContext
    /// The caller's span; nil if the trace began here.
    let parent: String?
    let kind: SpanKind
    let start: Date
    let end: Date
    let name: String
    let attributes: SpanAttributes
    let status: SpanStatus?
}

/// A part of the work in a trace. Ends once; an unsampled span is passed on and not recorded.
final class TraceSpan: Span {
    let context: InstrumentationContext
    private let trace: TraceContext
    private let parent: String?
    private let kind: SpanKind
    private let start: Date
    private let now: @Sendable () -> Date
    private let ended: @Sendable (FinishedSpan) -> Void
    private let state: Guarded<State>

    private struct State: Sendable {
        var name: String
        var attributes: SpanAttributes = [:]
        var status: SpanStatus?
        var isOver = false
    }

    init(
        _ name: String, _ kind: SpanKind, _ context: InstrumentationContext, _ trace: TraceContext, parent: String?,
        start: Date, now: @escaping @Sendable () -> Date, ended: @escaping @Sendable (FinishedSpan) -> Void
    ) {
        self.context = context
        self.trace = trace
        self.parent = parent
        self.kind = kind
        self.start = start
        self.now = now
        self.ended = ended
        state = Guarded(State(name: name))
    }

    var isRecording: Bool { trace.isSampled && state.withLock { !$0.isOver } }

    var operationName: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { state.withLock { $0.attributes = newValue } }
    }

    func setStatus(_ status: SpanStatus) { state.withLock { $0.status = status } }

    /// The text of an error may hold anything, so only its kind is kept.
    func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        state.withLock {
            $0.attributes["error.type"] = "\(type(of: error))"
            $0.status = SpanStatus(code: .error)
        }
    }

    func addEvent(_ event: SpanEvent) {}
    func addLink(_ link: SpanLink) {}

    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let last = state.withLock { state -> State? in
            guard !state.isOver else { return nil }
            state.isOver = true
            return state
        }
        guard let last, trace.isSampled else { return }
        ended(
            FinishedSpan(
                context: trace, parent: parent, kind: kind, start: start, end: now(), name: last.name,
                attributes: last.attributes, status: last.status))
    }
}
