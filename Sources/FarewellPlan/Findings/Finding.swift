// SPDX-License-Identifier: Apache-2.0
import Farewell

/// A finding of `farewell check`: a gap, a contradiction or a danger, with its remedy. Safe to log.
public struct Finding: Sendable, Hashable, Codable {
    /// A stable, machine-readable name such as `table.unaccounted`.
    public struct Code: RawRepresentable, Sendable, Hashable, Codable, ExpressibleByStringLiteral {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public init(stringLiteral value: String) { self.rawValue = value }
    }

    /// Its severity.
    public enum Severity: String, Sendable, Hashable, Codable, CaseIterable {
        /// Data would be left, another user's row would change, or a run would fail: no run starts.
        case error
        /// A run works, but slowly, or an operator should check something.
        case warning
        /// Information only.
        case note
    }

    public var code: Code
    public var severity: Severity
    /// `nil` for a finding about the whole plan.
    public var table: TableName?
    /// `nil` for a finding about the whole table.
    public var column: String?
    /// One sentence: the problem.
    public var message: String
    /// One sentence: the remedy; `nil` if none is needed.
    public var remedy: String?

    public init(
        _ code: Code, _ severity: Severity, table: TableName? = nil, column: String? = nil, _ message: String,
        remedy: String? = nil
    ) {
        self.code = code
        self.severity = severity
        self.table = table
        self.column = column
        self.message = message
        self.remedy = remedy
    }

    /// Where: `public.messages.sender_id`, `public.messages`, or `the plan`. Safe to show.
    public var place: String {
        guard let table else { return "the plan" }
        guard let column else { return Shown.line(table.description, limit: 160) }
        return Shown.line(ColumnName(table, column).description, limit: 240)
    }

    /// The message after its place; a finding about the whole plan has no place.
    package var sentence: String { table == nil ? message : "\(place): \(message)" }
}
