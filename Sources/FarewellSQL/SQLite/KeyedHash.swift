// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import GRDB

/// `farewell_keyed_hash(key blob, value)`: HMAC-SHA-256 (RFC 2104) of the value's text form or bytes, in
/// lower-case hex. Null gives null.
enum KeyedHash {
    static var function: DatabaseFunction {
        DatabaseFunction("farewell_keyed_hash", argumentCount: 2, pure: true) { values in
            guard let key = bytes(values[0]), let value = bytes(values[1]) else { return nil }
            let code = HMAC<SHA256>.authenticationCode(for: value, using: SymmetricKey(data: key))
            return code.map { hex[Int($0)] }.joined()
        }
    }

    private static let hex: [String] = (0..<256).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }

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
