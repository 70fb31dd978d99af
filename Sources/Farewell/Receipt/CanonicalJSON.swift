// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The one way a value is written where its bytes are signed, hashed or compared: members in order of
/// their names, no white space, no escaped slashes, UTF-8.
package enum CanonicalJSON {
    package static func data(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    package static func value<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try JSONDecoder().decode(type, from: data)
    }
}
