// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
@testable import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The confirmation of ledger entries")
struct LedgerConfirmationTests {
    let folder: StateFolder
    let ledger: LedgerFile

    init() throws {
        folder = try StateFolder()
        ledger = LedgerFile(try folder.keys())
    }

    private func match(_ number: Int, incarnation: String = "first") throws -> Ledger.Match {
        try ledger.read().match(LedgerEntry.sample(number).subject, incarnation: incarnation)
    }

    @Test("OP-4 OPS-01 an entry counts as done once a line confirms it, and not before")
    func confirmed() throws {
        try ledger.append([.sample(1), .sample(2)], .begun)
        #expect(try match(1) == .unconfirmed(.sample(1)) && ledger.read().erasures == 0)
        try ledger.confirm([LedgerEntry.sample(1).receipt])
        #expect(try match(1) == .returned(.sample(1)) && match(2) == .unconfirmed(.sample(2)))
        let read = try ledger.read()
        #expect(read.erasures == 1 && read.count == 2)
        let second = LedgerEntry.sample(2).receipt
        #expect(read.unsettled(besides: []) == [second] && read.unsettled(besides: [second]).isEmpty)
    }

    @Test("OP-4 OPS-01 a subject's confirmed erasure has precedence over an unconfirmed one")
    func latest() throws {
        try ledger.append([.sample(1)], .begun)
        try ledger.confirm([LedgerEntry.sample(1).receipt])
        var later = LedgerEntry.sample(1, after: 60)
        later = LedgerEntry(
            subject: later.subject, incarnation: "first", erasedAt: later.erasedAt, receipt: UUID())
        try ledger.append([later], .begun)
        #expect(try match(1) == .returned(.sample(1)))
        #expect(try match(1, incarnation: "other") == .sameKey(.sample(1)))
        #expect(try ledger.read().unsettled(besides: []).isEmpty)
    }

    @Test("OP-4 a line of an earlier version, which had no confirmations, counts as done and is extended")
    func former() throws {
        // Written here independently, from the published format.
        let keys = try folder.keys()
        let entry = try CanonicalJSON.text(LedgerEntry.sample(1))
        var bytes: [UInt8] = []
        for field in ["farewell/ledger-line/v1", "", entry] {
            withUnsafeBytes(of: UInt64(field.utf8.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes += Array(field.utf8)
        }
        var code = keys.ledgerKey
        code.update(data: bytes)
        let line = "{\"code\":\"\(code.finalize().hexadecimal)\",\"entry\":\(entry)}\n"
        try Data().write(to: URL(fileURLWithPath: folder.path("ledger.jsonl")))
        try folder.set(mode: 0o600, of: "ledger.jsonl")
        try folder.overwrite("ledger.jsonl", Data(line.utf8))
        #expect(try match(1) == .returned(.sample(1)))
        try ledger.append([.sample(2)], .begun)
        #expect(try match(1) == .returned(.sample(1)) && match(2) == .unconfirmed(.sample(2)))
        #expect(try folder.read("ledger.jsonl").starts(with: Data(line.utf8)))
    }

    @Test("OP-4 a changed byte in any kind of line is found, and nothing is appended after it")
    func tampered() throws {
        try ledger.append([.sample(1)], .begun)
        try ledger.confirm([LedgerEntry.sample(1).receipt])
        try ledger.append([.sample(2)], .restored)
        try ledger.append([.sample(3)], .former)
        let good = try folder.read("ledger.jsonl")
        for place in good.indices.dropLast() {
            var bad = good
            bad[place] ^= 1
            try folder.overwrite("ledger.jsonl", bad)
            #expect(code { _ = try ledger.read() } == "ledger.tampered", "byte \(place)")
            #expect(code { try ledger.append([.sample(4)], .begun) } == "ledger.tampered", "byte \(place)")
            #expect(try folder.read("ledger.jsonl") == bad)
        }
    }

    @Test("OP-4 a mark cannot be moved from one line to another, nor can a confirmation")
    func moved() throws {
        try ledger.append([.sample(1)], .begun)
        try ledger.append([.sample(2)], .restored)
        try ledger.requireRoom(for: 500)
        #expect(code { try ledger.requireRoom(for: 1 << 50) } == "file.no-space")
        let text = String(decoding: try folder.read("ledger.jsonl"), as: UTF8.self)
        for forged in [
            text.replacing("\"mark\":\"begun\"", with: "\"mark\":\"restored\""), text.replacing(",\"mark\":\"begun\"", with: ""),
            text.replacing("\"mark\":\"restored\"", with: "\"mark\":\"begun\""),
        ] {
            #expect(forged != text)
            try folder.overwrite("ledger.jsonl", Data(forged.utf8))
            #expect(code { _ = try ledger.read() } == "ledger.tampered")
            #expect(code { try ledger.requireRoom(for: 1) } == "ledger.tampered")
        }
    }

    @Test("OP-4 five hundred receipts are confirmed in lines that any reader accepts")
    func many() throws {
        let entries = (0..<500).map { number in
            LedgerEntry(
                subject: SubjectHash(rawValue: "subject-\(number)"), incarnation: "first", erasedAt: .now, receipt: UUID())
        }
        try ledger.append(entries, .begun)
        try ledger.confirm(entries.map(\.receipt))
        #expect(try ledger.read().erasures == 500)
        let lines = try folder.read("ledger.jsonl").split(separator: UInt8(ascii: "\n"))
        #expect(lines.allSatisfy { $0.count <= LedgerLine.longest } && lines.count == 508)
    }

    @Test("OP-4 a checkpoint of a long ledger gives the same result as a full read, and does not count for another file")
    func checkpoint() throws {
        func entries(_ range: Range<Int>) -> [LedgerEntry] {
            range.map { number in
                LedgerEntry(
                    subject: SubjectHash(rawValue: "subject-\(number)"), incarnation: "first", erasedAt: .now,
                    receipt: UUID())
            }
        }
        #expect(try ledger.survey() == nil)
        let first = entries(0..<1_000)
        try ledger.append(first, .restored)
        try ledger.keep(LedgerCount(first.map(\.receipt)), conflicting: 0)
        let more = entries(1_000..<1_010)
        try ledger.append(more, .begun)
        try ledger.confirm(more.prefix(7).map(\.receipt))
        let other = LedgerFile(try folder.keys())
        let expected = LedgerCount(try ledger.read().confirmed)
        #expect(try other.survey()?.count == expected && expected.count == 1_007)
        let good = try folder.read("ledger.jsonl")
        for place in [100, good.count / 2] {
            var bad = good
            bad[place] ^= 1
            try folder.overwrite("ledger.jsonl", bad)
            #expect(try other.survey() == nil, "a changed byte before the checkpoint")
        }
        var bad = good
        bad[good.count - 20] ^= 1
        try folder.overwrite("ledger.jsonl", bad)
        #expect(code { _ = try other.survey() } == "ledger.tampered")
        try folder.overwrite("ledger.jsonl", good.prefix(5_000))
        #expect(try other.survey() == nil)
        try folder.overwrite("ledger.jsonl", good)
        for hostile in ["", "{}", "[1]", String(repeating: "[", count: 10_000), "{\"tally\":{\"count\":-1,\"sum\":0}}"] {
            try folder.overwrite("ledger.checked", Data(hostile.utf8))
            #expect(try other.survey() == nil)
        }
        // One that cannot be replaced stops nothing.
        try FileManager.default.removeItem(atPath: folder.path("ledger.checked"))
        try FileManager.default.createDirectory(atPath: folder.path("ledger.checked/in"), withIntermediateDirectories: true)
        try ledger.keep(expected, conflicting: 0)
        #expect(try other.survey() == nil)
    }
}
