// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// The partition key of a table, and the form of a name in it.
///
/// "Naming rules and data types" in the developers' guide (docs.aws.amazon.com, HowItWorks.NamingRulesDataTypes): a key
/// is a string, a number or bytes. Two numbers are the same key in any notation, so only the form that DynamoDB itself
/// writes is accepted: `007` is not the subject `7`.
struct DynamoDBKey: Sendable, Hashable {
    enum Kind: String, Sendable, Hashable {
        case text = "S"
        case number = "N"
        case bytes = "B"
    }

    /// The encoding of a name if the key is bytes.
    enum Encoding: String, Sendable, Hashable, CaseIterable {
        case utf8, base64, hex, uuid
    }

    let kind: Kind
    let encoding: Encoding

    /// The type of the key, in words.
    var words: String {
        switch kind {
        case .text: "text"
        case .number: "numbers"
        case .bytes: encoding == .utf8 ? "bytes" : "bytes, named as \(encoding.rawValue)"
        }
    }

    /// A value that no item has.
    var probe: JSONValue {
        switch kind {
        case .text: .object(["S": .string("farewell: unused")])
        case .number: .object(["N": .string("-1")])
        case .bytes: .object(["B": .string(Data("farewell: unused".utf8).base64EncodedString())])
        }
    }

    /// A value that no item has, made from a name that no user has.
    func value(ofUnused name: String) -> JSONValue {
        switch kind {
        case .text: .object(["S": .string(name)])
        case .number:
            .object(["N": .string("-1" + String(decoding: name.utf8.filter { $0.isASCIIDigit }, as: UTF8.self))])
        case .bytes: .object(["B": .string(Data(name.utf8).base64EncodedString())])
        }
    }

    /// The name as a value of the key; `nil` if the key cannot hold it.
    func value(_ name: String) -> JSONValue? {
        switch kind {
        case .text: name.isEmpty ? nil : .object(["S": .string(name)])
        case .number: Self.isNumber(name) ? .object(["N": .string(name)]) : nil
        case .bytes:
            bytes(name).flatMap { $0.isEmpty ? nil : .object(["B": .string(Data($0).base64EncodedString())]) }
        }
    }

    private func bytes(_ name: String) -> [UInt8]? {
        switch encoding {
        case .utf8: return Array(name.utf8)
        case .base64: return Data(base64Encoded: name).map { [UInt8]($0) }
        case .hex: return name.utf8.hexadecimalBytes
        case .uuid:
            guard name.utf8.count == 36, UUID(uuidString: name) != nil else { return nil }
            return name.utf8.filter { $0 != UInt8(ascii: "-") }.hexadecimalBytes
        }
    }

    /// Digits without leading zeros, and a fraction without trailing ones.
    private static func isNumber(_ text: String) -> Bool {
        text.wholeMatch(of: /-?(0|[1-9][0-9]{0,37})(\.[0-9]{0,37}[1-9])?/) != nil && text != "-0"
    }
}
