// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// One row answered by a catalog query, read from left to right.
struct CatalogRow {
    private var values: ArraySlice<SQLValue>

    init(_ values: [SQLValue]) {
        self.values = values[...]
    }

    mutating func text() throws -> String {
        guard let text = try optionalText() else { throw Self.unreadable }
        return text
    }

    mutating func optionalText() throws -> String? {
        let value = try next()
        guard !value.isNull else { return nil }
        guard let text = value.text else { throw Self.unreadable }
        return try Self.bounded(text)
    }

    /// Names and definitions are compared and hashed everywhere; see `StreamSafeText`.
    private static func bounded(_ text: String) throws -> String {
        guard text.utf8.count <= StreamSafeText.longestIdentifier || text.isStreamSafe else {
            throw FarewellError(
                "schema.marks", .yoursToFix,
                "A name or a definition in the database contains \(StreamSafeText.excess).",
                remedy: "Rename it, or write its definition without them.")
        }
        return text
    }

    /// The name of a table, a column or another object, in its spelling.
    mutating func name() throws -> String { NameSpelling.of(try text()) }

    mutating func optionalName() throws -> String? { try optionalText().map(NameSpelling.of) }

    mutating func integer() throws -> Int64 {
        guard let integer = try next().integer else { throw Self.unreadable }
        return integer
    }

    mutating func optionalInteger() throws -> Int64? {
        let value = try next()
        guard !value.isNull else { return nil }
        guard let integer = value.integer else { throw Self.unreadable }
        return integer
    }

    mutating func flag() throws -> Bool {
        try optionalInteger() == 1
    }

    /// A JSON array of entries; none when it is null.
    mutating func list<Entry: Decodable>(of: Entry.Type = Entry.self) throws -> [Entry] {
        guard let text = try optionalText() else { return [] }
        do {
            return try CanonicalJSON.value([Entry].self, from: Data(text.utf8))
        } catch {
            throw Self.unreadable
        }
    }

    private mutating func next() throws -> SQLValue {
        guard let value = values.popFirst() else { throw Self.unreadable }
        return value
    }

    static let unreadable = FarewellError(
        "schema.unreadable", .ours, "The database's catalog returned an unknown form.")
}

/// The names in the lists of catalog queries, in their spelling.
extension UnkeyedDecodingContainer {
    mutating func name() throws -> String { NameSpelling.of(try decode(String.self)) }

    mutating func optionalName() throws -> String? { try decodeIfPresent(String.self).map(NameSpelling.of) }

    mutating func names() throws -> [String] { try decode([String].self).map(NameSpelling.of) }

    mutating func optionalNames() throws -> [String]? {
        try decodeIfPresent([String].self).map { $0.map(NameSpelling.of) }
    }
}
