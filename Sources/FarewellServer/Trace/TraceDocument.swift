// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Tracing

/// Spans as a request to a collector: OTLP 1.x, JSON encoding (identifiers in hexadecimal, 64-bit numbers as texts).
enum TraceDocument {
    static func json(_ spans: [FinishedSpan]) throws -> Data {
        let resource = object(["attributes": .array([attribute("service.name", text: "farewell")])])
        let scope = object(["name": "farewell", "version": .string(FarewellVersion.current)])
        let group = object(["scope": scope, "spans": .array(spans.map(span))])
        let whole = object(["resource": resource, "scopeSpans": .array([group])])
        return try CanonicalJSON.data(object(["resourceSpans": .array([whole])]))
    }

    private static func object(_ members: [String: JSONValue]) -> JSONValue { .object(members) }

    private static func span(_ span: FinishedSpan) -> JSONValue {
        var members: [String: JSONValue] = [
            "traceId": .string(span.context.trace), "spanId": .string(span.context.span), "name": .string(span.name),
            "kind": .integer(kind(span.kind)), "startTimeUnixNano": .string(nanoseconds(span.start)),
            "endTimeUnixNano": .string(nanoseconds(span.end)), "attributes": .array(attributes(span.attributes)),
            "status": status(span.status),
        ]
        if let parent = span.parent { members["parentSpanId"] = .string(parent) }
        if let state = span.context.state { members["traceState"] = .string(state) }
        return .object(members)
    }

    private static func attributes(_ attributes: SpanAttributes) -> [JSONValue] {
        var found: [(name: String, value: SpanAttribute)] = []
        attributes.forEach { found.append(($0, $1)) }
        return found.sorted { $0.name < $1.name }.map { attribute($0.name, $0.value) }
    }

    private static func attribute(_ name: String, text: String) -> JSONValue {
        object(["key": .string(name), "value": object(["stringValue": .string(text)])])
    }

    private static func attribute(_ name: String, _ value: SpanAttribute) -> JSONValue {
        let typed: [String: JSONValue] =
            switch value {
            case .int32(let number): ["intValue": .string(String(number))]
            case .int64(let number): ["intValue": .string(String(number))]
            case .bool(let flag): ["boolValue": .boolean(flag)]
            case .string(let text): ["stringValue": .string(text)]
            default: ["stringValue": .string("\(value)")]
            }
        return object(["key": .string(name), "value": object(typed)])
    }

    private static func status(_ status: SpanStatus?) -> JSONValue {
        switch status?.code {
        case .error: object(["code": 2])
        case .ok: object(["code": 1])
        case nil: object([:])
        }
    }

    private static func kind(_ kind: SpanKind) -> Int64 {
        switch kind {
        case .server: 2
        case .client: 3
        default: 1
        }
    }

    private static func nanoseconds(_ date: Date) -> String {
        // Microseconds are all that a Date has at this distance from 1970.
        String(Int64((date.timeIntervalSince1970 * 1_000_000).rounded()) * 1_000)
    }
}
