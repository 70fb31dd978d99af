// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import Foundation

/// A line of the ledger's file, with a code that covers it and the line before.
///
/// - `{"code":"…","entry":{…},"mark":"begun"}`: an erasure that is about to be committed.
/// - `{"code":"…","done":["…"]}`: erasures, by their receipts, that have been committed.
/// - `{"code":"…","entry":{…},"mark":"restored"}`: an erasure that the file had lost and the database had not.
/// - `{"code":"…","entry":{…}}`: an erasure as earlier versions wrote it.
/// - `{"code":"…","stop":{…}}`: a stop, in a file of its own.
struct LedgerLine {
    /// HMAC-SHA-256 over the code of the line before and the body of this one.
    let code: String
    /// The line after its code, without the line feed.
    let body: [UInt8]

    enum Content: Sendable, Hashable {
        case entry(LedgerEntry, LedgerMark)
        /// The receipts of erasures that were committed.
        case confirmation([UUID])
        case stop(Stop)
    }

    /// Longer than any line that Farewell writes, in bytes.
    static let longest = 4096
    /// At least the bytes of an entry as an erasure writes it.
    static let usual = 512
    /// The most receipts that one line confirms.
    static let mostConfirmed = 64

    static func following(_ previous: String, _ content: Content, key: KeyedHash.Key) throws -> LedgerLine {
        let body = try body(of: content)
        return LedgerLine(code: code(of: body, after: previous, key: key), body: body)
    }

    /// The line with its line feed.
    var bytes: [UInt8] { Self.opening + Array(code.utf8) + Self.middle + body + [UInt8(ascii: "\n")] }

    /// How many bytes `bytes` has.
    var length: Int { Self.opening.count + 64 + Self.middle.count + body.count + 1 }

    /// Reads a line; `nil` unless it is exactly what was written after `previous`.
    static func reading(_ bytes: ArraySlice<UInt8>, after previous: String, key: KeyedHash.Key) -> LedgerLine? {
        let length = opening.count + 64 + middle.count
        guard bytes.count > length, bytes.count <= longest, bytes.starts(with: opening) else { return nil }
        let written = bytes.dropFirst(opening.count).prefix(64)
        guard bytes.dropFirst(opening.count + 64).starts(with: middle) else { return nil }
        let body = Array(bytes.dropFirst(length))
        let code = code(of: body, after: previous, key: key)
        // Only a holder of the key can make the code, so it proves that the covered text is original.
        return written.elementsEqual(code.utf8) ? LedgerLine(code: code, body: body) : nil
    }

    /// The content of a genuine line; `nil` if a newer version wrote something unknown to this one.
    var content: Content? {
        if body.starts(with: Self.confirming) {
            let names = try? JSONDecoder().decode(Confirmation.self, from: Data("{".utf8) + Data(body)).done
            return names.map { .confirmation($0.compactMap(UUID.init(text:))) }
        }
        if body.starts(with: Self.stopping) {
            let stop = Data(body.dropFirst(Self.stopping.count).dropLast())
            return (try? CanonicalJSON.value(Stop.self, from: stop)).map { .stop($0) }
        }
        // Every line ends as one of an earlier version does: that mark is last.
        for mark in [LedgerMark.begun, .restored, .former] {
            let ending = Self.ending(mark)
            guard body.starts(with: Self.entering), body.count > Self.entering.count + ending.count,
                body.suffix(ending.count).elementsEqual(ending)
            else { continue }
            let entry = Data(body.dropFirst(Self.entering.count).dropLast(ending.count))
            return (try? CanonicalJSON.value(LedgerEntry.self, from: entry)).map { .entry($0, mark) }
        }
        return nil
    }

    /// Whether it is an entry that was written before its erasure was committed. Its ending tells.
    var isBegun: Bool {
        body.starts(with: Self.entering) && body.suffix(Self.begun.count).elementsEqual(Self.begun)
    }

    private struct Confirmation: Codable { let done: [String] }

    private static func body(of content: Content) throws -> [UInt8] {
        switch content {
        case .entry(let entry, let mark): entering + Array(try CanonicalJSON.data(entry)) + ending(mark)
        case .confirmation(let receipts):
            Array(try CanonicalJSON.data(Confirmation(done: receipts.map(\.text))).dropFirst())
        case .stop(let stop): stopping + Array(try CanonicalJSON.data(stop)) + [UInt8(ascii: "}")]
        }
    }

    private static func code(of body: [UInt8], after previous: String, key: KeyedHash.Key) -> String {
        // Earlier versions covered the entry alone.
        let isFormer = body.starts(with: entering) && body.suffix(2).elementsEqual(Array("}}".utf8))
        var hash = KeyedHash(key, purpose: isFormer ? "farewell/ledger-line/v1" : "farewell/ledger-line/v2")
        hash.add(previous)
        if isFormer {
            hash.add(body.dropFirst(entering.count).dropLast())
        } else {
            hash.add(body)
        }
        return hash.finish()
    }

    private static let opening = Array("{\"code\":\"".utf8)
    private static let middle = Array("\",".utf8)
    private static let entering = Array("\"entry\":".utf8)
    private static let confirming = Array("\"done\":".utf8)
    private static let stopping = Array("\"stop\":".utf8)

    private static let begun = ending(.begun)

    private static func ending(_ mark: LedgerMark) -> [UInt8] {
        mark == .former ? [UInt8(ascii: "}")] : Array(",\"mark\":\"\(mark.rawValue)\"}".utf8)
    }
}
