// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import Tracing

/// Puts each call into the trace that its caller names, and records it if tracing is configured.
///
/// A span has the route, the status and the request's name, but nothing of the user, the token or the address.
struct CallTracing: Sendable {
    /// nil if tracing is off.
    private let tracer: (any Tracer)?

    init(_ tracer: any Tracer) { self.tracer = tracer is NoOpTracer ? nil : tracer }

    /// A call's place in its trace.
    struct Call: Sendable {
        let context: InstrumentationContext?
        let span: (any Span)?

        /// Does the call's work, so that outgoing calls carry the trace.
        func run(_ work: () async -> Response) async -> Response {
            guard let context else { return await work() }
            return await InstrumentationContext.$current.withValue(context) { await work() }
        }

        func end(_ status: HTTPResponse.Status, request: String) {
            guard let span else { return }
            span.updateAttributes {
                $0["http.response.status_code"] = status.code
                $0["farewell.request"] = request
            }
            if status.code >= 500 { span.setStatus(SpanStatus(code: .error)) }
            span.end()
        }
    }

    func begin(_ request: Request, _ route: Route) -> Call {
        var context = InstrumentationContext.current ?? .topLevel
        let parent = request.headers[.traceParent].flatMap {
            TraceContext(parent: $0, state: request.headers[.traceState])
        }
        if let parent { context.trace = parent }
        guard let tracer else { return Call(context: parent == nil ? nil : context, span: nil) }
        tracer.extract(request.headers, into: &context, using: FieldExtractor())
        let span = tracer.startSpan("\(route.method.rawValue) \(route.path)", context: context, ofKind: .server)
        span.updateAttributes {
            $0["http.request.method"] = route.method.rawValue
            $0["http.route"] = route.path
        }
        return Call(context: span.context, span: span)
    }
}

/// Reads what a tracer asks for from a request's header fields.
private struct FieldExtractor: Extractor {
    func extract(key: String, from fields: HTTPFields) -> String? {
        HTTPField.Name(key).flatMap { fields[$0] }
    }
}

extension TraceContext {
    /// The header fields for outgoing calls of the running task; none outside a trace.
    static var currentFields: [(name: String, value: String)] {
        guard let trace = InstrumentationContext.current?.trace else { return [] }
        return [("traceparent", trace.parent)] + (trace.state.map { [("tracestate", $0)] } ?? [])
    }
}
