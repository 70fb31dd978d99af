// SPDX-License-Identifier: Apache-2.0
import CLibPQ
import Farewell
import Foundation

/// A statement in the form libpq takes, made on the caller's thread: text form for all values but bytes, and lists of
/// which it is certain what they are.
struct PostgreSQLParameters: Sendable {
    let text: String
    let verb: SQLVerb
    private(set) var types: [Oid] = []
    private var bytes: [UInt8] = []
    /// Where each value begins in `bytes`; -1 is null.
    private var offsets: [Int] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    /// The protocol counts parameters in 16 bits.
    static let most = 65_535

    /// - Throws: `sql.22021` for a NUL character, which PostgreSQL's text cannot hold.
    init(_ statement: SQLStatement) throws {
        guard statement.parameters.count <= Self.most else {
            throw FarewellError(
                "sql.54000", .ours,
                "A statement has \(statement.parameters.count) parameters; PostgreSQL accepts \(Self.most).")
        }
        guard !statement.text.containsNul else {
            throw FarewellError("sql.42601", .yoursToFix, "A statement contains a NUL character.")
        }
        text = statement.text
        verb = SQLVerb(statement.text)
        for (place, value) in statement.parameters.enumerated() {
            if case .array(let elements) = value,
                let list = PostgreSQLArray.binary(elements, isText: Self.isTexts(place + 1, statement.text))
            {
                types.append(list.type)
                append(list.bytes, format: 1)
            } else {
                try append(value)
            }
        }
    }

    /// Whether a statement declares a parameter as a list of texts; otherwise it may have another type.
    private static func isTexts(_ number: Int, _ statement: String) -> Bool {
        statement.withCString { strstr($0, "$\(number)::text[]") != nil }
    }

    var key: StatementCache.Key { StatementCache.Key(text: ExactText(text), types: types) }

    /// Calls `body` with the count, values, lengths and formats that `PQsendQueryPrepared` takes.
    func withValues(
        _ body: (Int32, [UnsafePointer<CChar>?], [Int32], [Int32]) -> Int32
    ) -> Int32 {
        bytes.withUnsafeBytes { buffer in
            let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = offsets.map { offset in offset < 0 ? nil : start.map { $0 + offset } }
            return body(Int32(offsets.count), values, lengths, formats)
        }
    }

    private mutating func append(_ value: SQLValue) throws {
        types.append(PostgreSQLType.oid(of: value))
        switch value {
        case .null:
            offsets.append(-1)
            lengths.append(0)
            formats.append(0)
        case .bytes(let content):
            append(content, format: 1)
        default:
            append(try PostgreSQLText.encode(value).utf8, format: 0)
        }
    }

    private mutating func append(_ content: some Collection<UInt8>, format: Int32) {
        offsets.append(bytes.count)
        lengths.append(Int32(clamping: content.count))
        formats.append(format)
        bytes.append(contentsOf: content)
        bytes.append(0)
    }
}

extension String {
    /// PostgreSQL's texts end where the first NUL is.
    var containsNul: Bool {
        var text = self
        return text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return false }
            return memchr(start, 0, bytes.count) != nil
        }
    }
}
