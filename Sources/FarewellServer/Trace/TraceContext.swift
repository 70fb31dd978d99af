// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Tracing

/// Where in a trace a call belongs (W3C Trace Context, level 1).
struct TraceContext: Sendable, Hashable {
    /// 32 hexadecimal digits.
    let trace: String
    /// 16 hexadecimal digits: the caller's span.
    let span: String
    /// Whether the caller records the trace.
    let isSampled: Bool
    /// The notes of other systems, passed on unchanged.
    let state: String?

    init(trace: String, span: String, isSampled: Bool, state: String? = nil) {
        self.trace = trace
        self.span = span
        self.isSampled = isSampled
        self.state = state
    }

    /// Reads `traceparent`: `00-<trace>-<span>-<flags>`, in lower case. A later version may have more behind it.
    /// Malformed text counts as absent, and `tracestate` with it.
    init?(parent: String, state: String?) {
        let bytes = Array(parent.utf8)
        guard bytes.count >= 55, bytes[2] == Self.dash, bytes[35] == Self.dash, bytes[52] == Self.dash,
            let version = Self.number(bytes[0..<2]), version != 0xFF,
            bytes.count == 55 || version > 0 && bytes[55] == Self.dash,
            Self.isName(bytes[3..<35]), Self.isName(bytes[36..<52]), let flags = Self.number(bytes[53..<55])
        else { return nil }
        trace = String(decoding: bytes[3..<35], as: UTF8.self)
        span = String(decoding: bytes[36..<52], as: UTF8.self)
        isSampled = flags & 1 == 1
        self.state = state.flatMap { $0.utf8.count <= 512 && $0.utf8.allSatisfy { (32...126).contains($0) } ? $0 : nil }
    }

    /// The field's value for outgoing calls.
    var parent: String { "00-\(trace)-\(span)-\(isSampled ? "01" : "00")" }

    private static let dash = UInt8(ascii: "-")

    /// Hexadecimal digits in lower case, not all of them zero.
    private static func isName(_ digits: ArraySlice<UInt8>) -> Bool {
        digits.allSatisfy { value(of: $0) != nil } && digits.contains { $0 != UInt8(ascii: "0") }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.reduce(0) { sum, digit in sum.flatMap { sum in value(of: digit).map { sum << 4 | $0 } } }
    }

    private static func value(of digit: UInt8) -> Int? {
        digit.isASCIICapital ? nil : digit.hexadecimalValue.map { Int($0) }
    }
}

/// The place of a trace context among what a task carries along.
private enum TraceContextKey: InstrumentationContextKey {
    typealias Value = TraceContext
}

extension InstrumentationContext {
    /// The trace that this task's work belongs to.
    var trace: TraceContext? {
        get { self[TraceContextKey.self] }
        set { self[TraceContextKey.self] = newValue }
    }
}
