// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The one way a value is written where its bytes are signed, hashed or compared: members in order of
/// their names, no white space, no escaped slashes, UTF-8.
package enum CanonicalJSON {
    package static func data(_ value: some Encodable) throws -> Data { Data(try bytes(value)) }

    package static func bytes(_ value: some Encodable) throws -> [UInt8] {
        let root = CanonicalNode()
        try root.take(value)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1_024)
        root.write(to: &bytes)
        return bytes
    }

    package static func text(_ value: some Encodable) throws -> String {
        String(decoding: try bytes(value), as: UTF8.self)
    }

    /// An object of texts, of which the first with a name counts.
    package static func text(members: some Sequence<(String, String)>) -> String {
        let root = CanonicalNode()
        root.becomeObject()
        var names: Set<String> = []
        for (name, value) in members where names.insert(name).inserted { root.add(name, .string(value)) }
        var bytes: [UInt8] = []
        root.write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads a value in time linear in the number of bytes.
    ///
    /// - Throws: `DecodingError`, also for text with long runs of combining marks.
    package static func value<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        guard hasSafeTexts(data) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "A text holds too many combining marks."))
        }
        return try JSONDecoder().decode(type, from: data)
    }

    /// Whether the system's readers of JSON read these bytes in linear time.
    package static func hasSafeTexts(_ data: Data) -> Bool {
        data.withUnsafeBytes { JSONTexts.areSafe($0.bindMemory(to: UInt8.self)) }
    }
}
