// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import FarewellSQL
import Foundation

/// HMAC-SHA-256 over a list of fields, each preceded by its length, so that no two lists are the same bytes.
struct KeyedHash {
    /// A key made ready, so that many hashes are made under it in a fraction of the time.
    typealias Key = HMAC<SHA256>

    private let key: Key
    private var bytes: [UInt8] = []

    /// `purpose` separates hashes that share a key: one purpose's hash is never another's.
    init(_ key: Key, purpose: String) {
        self.key = key
        add(Array(purpose.utf8))
    }

    mutating func add(_ field: some Collection<UInt8>) {
        withUnsafeBytes(of: UInt64(field.count).bigEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: field)
    }

    mutating func add(_ text: String) { add(Array(text.utf8)) }

    /// A value by its text form, so that a key read as `uuid` here and as `text` there is the same key.
    mutating func add(_ value: SQLValue) {
        switch value {
        case .null: add("null")
        case .bytes(let bytes): add("bytes"); add(bytes)
        case .array(let values):
            add("array")
            add(String(values.count))
            for element in values { add(element) }
        // Microseconds: the text form of an instant drops them.
        case .timestamp(let date):
            add("text")
            add(String(describing: (date.timeIntervalSince1970 * 1_000_000).rounded()))
        default: add("text"); add(value.text ?? "")
        }
    }

    func finish() -> String { code().hexadecimal }

    func code() -> HMAC<SHA256>.MAC {
        var code = key
        code.update(data: bytes)
        return code.finalize()
    }
}
