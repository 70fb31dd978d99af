// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import Foundation

/// An entry as a line of the ledger's file, with a code that covers it and the line before.
struct LedgerLine {
    let entry: LedgerEntry
    /// HMAC-SHA-256 over the code of the line before and this entry.
    let code: String

    /// Longer than any line we write.
    static let longest = 4096

    private struct Contents: Codable {
        let code: String
        let entry: LedgerEntry
    }

    static func following(_ previous: String, _ entry: LedgerEntry, key: KeyedHash.Key) throws -> LedgerLine {
        var hash = KeyedHash(key, purpose: "farewell/ledger-line/v1")
        hash.add(previous)
        hash.add(try CanonicalJSON.data(entry))
        return LedgerLine(entry: entry, code: hash.finish())
    }

    func data() throws -> Data {
        try CanonicalJSON.data(Contents(code: code, entry: entry)) + Data("\n".utf8)
    }

    /// Reads a line; `nil` unless it is exactly what was written after `previous`.
    static func reading(_ bytes: [UInt8], after previous: String, key: KeyedHash.Key) -> LedgerLine? {
        guard let line = unchecked(bytes) else { return nil }
        guard let genuine = try? following(previous, line.entry, key: key), genuine.code == line.code,
            let written = try? genuine.data(), written.dropLast().elementsEqual(bytes)
        else { return nil }
        return line
    }

    /// The code of a line, without asking whether it is genuine: in the canonical form it stands first.
    static func code(of bytes: [UInt8]) -> String? {
        let opening = Array("{\"code\":\"".utf8)
        let code = bytes.dropFirst(opening.count).prefix { $0 != UInt8(ascii: "\"") }
        guard bytes.starts(with: opening), bytes.last == UInt8(ascii: "}"), code.count == 64 else { return nil }
        return String(decoding: code, as: UTF8.self)
    }

    /// Reads a line without asking whether it is genuine.
    private static func unchecked(_ bytes: [UInt8]) -> LedgerLine? {
        guard bytes.count <= longest else { return nil }
        guard let contents = try? CanonicalJSON.value(Contents.self, from: Data(bytes)) else { return nil }
        return LedgerLine(entry: contents.entry, code: contents.code)
    }
}
