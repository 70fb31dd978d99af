// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A key is stored as an object of its kind, `{"uuid":{"_0":"…"}}`, or in short as one text: the first letter of its
/// kind and the value. Both are read. The keys of an account are many, and two objects for each take several times as
/// long as one text.
extension StoredValue: Codable {
    private enum Kind: String, CodingKey { case integer, text, uuid, bytes }
    private enum Content: String, CodingKey { case value = "_0" }

    /// An encoder with this key in its `userInfo` writes the short form.
    package static let shortForm = CodingUserInfoKey(rawValue: "farewell.short-keys")

    package func encode(to encoder: any Encoder) throws {
        if let key = Self.shortForm, encoder.userInfo[key] != nil {
            var container = encoder.singleValueContainer()
            return try container.encode(short)
        }
        var container = encoder.container(keyedBy: Kind.self)
        func put(_ value: some Encodable, _ kind: Kind) throws {
            var content = container.nestedContainer(keyedBy: Content.self, forKey: kind)
            try content.encode(value, forKey: .value)
        }
        switch self {
        case .integer(let number): try put(number, .integer)
        case .text(let text): try put(text, .text)
        case .uuid(let uuid): try put(uuid, .uuid)
        case .bytes(let bytes): try put(bytes, .bytes)
        }
    }

    package init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            guard let value = Self(short: text) else { throw Self.unreadable(decoder) }
            self = value
            return
        }
        let container = try decoder.container(keyedBy: Kind.self)
        guard let kind = container.allKeys.first else { throw Self.unreadable(decoder) }
        let content = try container.nestedContainer(keyedBy: Content.self, forKey: kind)
        switch kind {
        case .integer: self = .integer(try content.decode(Int64.self, forKey: .value))
        case .text: self = .text(try content.decode(String.self, forKey: .value))
        case .uuid: self = .uuid(try content.decode(UUID.self, forKey: .value))
        case .bytes: self = .bytes(try content.decode([UInt8].self, forKey: .value))
        }
    }

    private var short: String {
        switch self {
        case .integer(let number): "i\(number)"
        case .text(let text): "t" + text
        case .uuid(let uuid): "u" + uuid.uuidString
        case .bytes(let bytes): "b" + Data(bytes).base64EncodedString()
        }
    }

    /// Scalar by scalar: a text may begin with a mark that combines with the letter before it.
    private init?(short: String) {
        guard let kind = short.unicodeScalars.first else { return nil }
        let content = String(short.unicodeScalars.dropFirst())
        let value: StoredValue? =
            switch kind {
            case "i": Int64(content).map { .integer($0) }
            case "t": .text(content)
            case "u": UUID(uuidString: content).map { .uuid($0) }
            case "b": Data(base64Encoded: content).map { .bytes(Array($0)) }
            default: nil
            }
        guard let value else { return nil }
        self = value
    }

    private static func unreadable(_ decoder: any Decoder) -> DecodingError {
        .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "This is no key."))
    }
}
