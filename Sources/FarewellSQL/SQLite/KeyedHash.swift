// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import Foundation
import GRDB

/// `farewell_keyed_hash(key blob, value)`: HMAC-SHA-256 (RFC 2104) of the value's text form or bytes, in
/// lower-case hex. Null gives null.
enum KeyedHash {
    static var function: DatabaseFunction {
        DatabaseFunction("farewell_keyed_hash", argumentCount: 2, pure: true) { values in
            guard let key = bytes(values[0]), let value = bytes(values[1]) else { return nil }
            return HMAC<SHA256>.authenticationCode(for: value, using: SymmetricKey(data: key)).hexadecimal
        }
    }

    private static func bytes(_ value: DatabaseValue) -> Data? {
        switch value.storage {
        case .null: nil
        case .int64(let value): Data(String(value).utf8)
        case .double(let value): Data(String(value).utf8)
        case .string(let text): Data(text.utf8)
        case .blob(let data): data
        }
    }
}
