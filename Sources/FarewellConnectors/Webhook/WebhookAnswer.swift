// SPDX-License-Identifier: Apache-2.0

import Farewell

/// How a service says that an erasure ended, in its reply or when it calls back: exactly one of these.
enum WebhookAnswer: Sendable, Hashable {
    /// This number was erased; with a cursor, more is left.
    case erased(Int, cursor: String?)
    /// It confirms the request, and cannot report the result.
    case acknowledged(Int)
    /// It does not erase, for this reason.
    case failed(code: String, isPassing: Bool)

    private static let most: Int64 = 1_000_000_000

    /// Reads `{"erased": 3}`, `{"erased": 100, "cursor": "…"}`, `{"acknowledged": 1}` or
    /// `{"failed": {"code": "open-orders", "again": false}}`.
    ///
    /// - Throws: `ConnectorFault.garbled` for any other text.
    init(_ value: RawJSON, from system: String) throws {
        let known = ["erased", "acknowledged", "failed"].filter { value[$0] != nil }
        guard known.count == 1 else { throw ConnectorFault.garbled(system, "it does not report the result") }
        let cursor = value["cursor"]
        guard cursor == nil || known == ["erased"] else { throw ConnectorFault.garbled(system, "an unexpected cursor") }
        if let count = value["erased"]?.integer, (0...Self.most).contains(count) {
            guard cursor == nil || cursor?.string.map({ (1...1_024).contains($0.utf8.count) }) == true else {
                throw ConnectorFault.garbled(system, "an invalid cursor")
            }
            self = .erased(Int(count), cursor: cursor?.string)
        } else if let count = value["acknowledged"]?.integer, (0...Self.most).contains(count) {
            self = .acknowledged(Int(count))
        } else if let failed = value["failed"], let code = failed["code"]?.string, Self.isCode(code) {
            self = .failed(code: code, isPassing: failed["again"]?.boolean == true)
        } else {
            throw ConnectorFault.garbled(system, "it does not report the result")
        }
    }

    /// A word, and never a sentence: it appears in messages to operators, and must not contain an address.
    private static func isCode(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIISmallLetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
    }

    /// The same as JSON.
    var value: JSONValue {
        switch self {
        case .erased(let count, let cursor):
            var members: [String: JSONValue] = ["erased": .integer(Int64(count))]
            members["cursor"] = cursor.map(JSONValue.string)
            return .object(members)
        case .acknowledged(let count): return .object(["acknowledged": .integer(Int64(count))])
        case .failed(let code, let isPassing):
            return .object(["failed": .object(["code": .string(code), "again": .boolean(isPassing)])])
        }
    }
}
