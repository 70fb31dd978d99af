// SPDX-License-Identifier: Apache-2.0
/// One SQL statement with its bound parameters.
///
/// Parameters are written `$1`, `$2`, … in the text, for both databases, and may be used more than once.
/// Text is only ever built from constants and from identifiers quoted by `SQLDialect.quoted(_:)`; values
/// are always bound.
public struct SQLStatement: Sendable, Hashable {
    public var text: String
    public var parameters: [SQLValue]

    public init(_ text: String, _ parameters: [SQLValue] = []) {
        self.text = text
        self.parameters = parameters
    }
}
