// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

extension LedgerEntry {
    /// Person number `number`.
    static func sample(_ number: Int, incarnation: String = "first", after seconds: Double = 0) -> LedgerEntry {
        LedgerEntry(
            subject: SubjectHash(rawValue: "subject-\(number)"), incarnation: incarnation,
            erasedAt: Date(timeIntervalSince1970: 1_763_723_280 + seconds),
            receipt: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(truncatingIfNeeded: number))))
    }
}

@Suite("The ledger of erased subjects")
struct LedgerFileTests {
    let folder: StateFolder
    let ledger: LedgerFile

    init() throws {
        folder = try StateFolder()
        ledger = LedgerFile(try folder.keys())
    }

    static let name = "ledger.jsonl"

    @Test("BX-7 a subject in the ledger is found again, by another process too")
    func roundTrip() throws {
        #expect(try ledger.read().count == 0)
        try ledger.append([])
        try ledger.append([.sample(1)])
        try ledger.append([.sample(2), .sample(3)])
        let read = try LedgerFile(try folder.keys()).read()
        #expect(read.count == 3)
        #expect(read.match(LedgerEntry.sample(2).subject, incarnation: "first") == .returned(.sample(2)))
        #expect(read.match(SubjectHash(rawValue: "subject-4"), incarnation: "first") == .unknown)
        #expect(read.contains(LedgerEntry.sample(3).subject) && !read.contains(LedgerEntry.sample(9).subject))
        #expect(try folder.mode(Self.name) == 0o600)
    }

    @Test("OP-4 whether the ledger takes entries shows before the first one: a missing file is made for that")
    func room() throws {
        try ledger.requireRoom(for: 1)
        #expect(try folder.read(Self.name).isEmpty && folder.mode(Self.name) == 0o600)
        try ledger.append([.sample(1)])
        try ledger.requireRoom(for: 1)
        #expect(try ledger.read().count == 1)
    }

    @Test("BX-7 a reused key does not count as the erased subject")
    func incarnations() throws {
        try ledger.append([.sample(1), .sample(1, incarnation: "second", after: 10)])
        let read = try ledger.read()
        let subject = LedgerEntry.sample(1).subject
        #expect(read.match(subject, incarnation: "first") == .returned(.sample(1)))
        #expect(read.match(subject, incarnation: "third") == .sameKey(.sample(1, incarnation: "second", after: 10)))
    }

    @Test("an entry appended twice, as after a crash, counts as one subject")
    func repeated() throws {
        try ledger.append([.sample(1)])
        try ledger.append([.sample(1)])
        let read = try ledger.read()
        #expect(read.count == 2)
        #expect(read.match(LedgerEntry.sample(1).subject, incarnation: "first") == .returned(.sample(1)))
    }

    @Test("a last line torn at any byte is skipped, and the next entry replaces it")
    func torn() throws {
        try ledger.append([.sample(1), .sample(2)])
        let whole = try folder.read(Self.name)
        try ledger.append([.sample(3)])
        let longer = try folder.read(Self.name)
        for length in whole.count..<longer.count {
            try folder.overwrite(Self.name, longer.prefix(length))
            #expect(try ledger.read().count == 2)
            try ledger.append([.sample(3)])
            #expect(try folder.read(Self.name) == longer)
        }
        // A possible result of a power cut: a tail of zero bytes.
        try folder.overwrite(Self.name, whole + Data(count: 300))
        #expect(try ledger.read().count == 2)
        try ledger.append([.sample(3)])
        #expect(try folder.read(Self.name) == longer)
        for length in 0..<3 {
            try folder.overwrite(Self.name, longer.prefix(length))
            try ledger.append([.sample(1), .sample(2)])
            #expect(try folder.read(Self.name) == whole)
        }
    }

    @Test("any changed byte of a complete line is found, and the error names the line")
    func tampered() throws {
        try ledger.append([.sample(1), .sample(2), .sample(3)])
        let good = try folder.read(Self.name)
        for place in good.indices.dropLast() {
            var bad = good
            bad[place] ^= 1
            try folder.overwrite(Self.name, bad)
            #expect(code { _ = try ledger.read() } == "ledger.tampered", "byte \(place)")
        }
        try folder.overwrite(Self.name, good)
        #expect(try ledger.read().count == 3)
    }

    @Test("dropped, swapped, foreign and invented lines are found")
    func lines() throws {
        try ledger.append((1...4).map { .sample($0) })
        let lines = try folder.read(Self.name).split(separator: UInt8(ascii: "\n")).map { $0 + Data("\n".utf8) }
        let other = try StateFolder()
        try LedgerFile(try other.keys()).append([.sample(9)])
        let foreign = try other.read(Self.name)
        let cases: [(String, [Data])] = [
            ("Line 1", Array(lines.dropFirst())), ("Line 2", [lines[0], lines[2], lines[3]]),
            ("Line 2", [lines[0], lines[2], lines[1], lines[3]]), ("Line 3", [lines[0], lines[1], lines[1]]),
            ("Line 5", lines + [foreign]), ("Line 5", lines + [Data("{}\n".utf8)]),
            ("Line 5", lines + [Data("\n".utf8)]),
            ("Line 1", [Data(count: 10_000)]), ("Line 5", lines + [Data(count: 10_000)]),
        ]
        for (place, content) in cases {
            try folder.overwrite(Self.name, content.reduce(into: Data()) { $0 += $1 })
            let error = #expect(throws: FarewellError.self) { try ledger.read() }
            #expect(error?.code == "ledger.tampered" && error?.message.hasPrefix(place) == true, "\(place)")
        }
        #expect(code { try ledger.append([.sample(5)]) } == "ledger.tampered", "nothing is added to a broken ledger")
    }

    @Test("sixteen simultaneous writers lose nothing and break nothing")
    func concurrent() async throws {
        let ledger = ledger
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<16 {
                group.addTask {
                    for number in 0..<8 { try ledger.append([.sample(writer * 8 + number)]) }
                }
            }
            try await group.waitForAll()
        }
        let read = try ledger.read()
        #expect(read.count == 128)
        #expect((0..<128).allSatisfy { read.contains(LedgerEntry.sample($0).subject) })
    }

    @Test("alternating processes, and a back-up put in the ledger's place, break no chain")
    func turns() throws {
        let other = LedgerFile(try folder.keys())
        try ledger.append([.sample(1)])
        try other.append([.sample(2)])
        try ledger.append([.sample(3)])
        let backup = try folder.read(Self.name)
        try ledger.append([.sample(4)])
        try folder.overwrite(Self.name, backup)
        try ledger.append([.sample(5)])
        try ledger.append([.sample(6)])
        try other.append([.sample(7)])
        let read = try ledger.read()
        #expect(read.count == 6 && !read.contains(LedgerEntry.sample(4).subject))
    }

    /// Holds the locks of these files, like a process that is stopped in the middle of writing.
    private func holding(_ names: [String], _ body: () throws -> Void) throws {
        let files = try names.map { try #require(FileHandle(forUpdatingAtPath: folder.path($0))) }
        for file in files { #expect(flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0) }
        try body()
        for file in files { try file.close() }
    }

    @Test("F5 a writer stopped in the middle of a line delays no other writer, and no entry is lost", .timeLimit(.minutes(30)))
    func stopped() throws {
        let other = LedgerFile(try folder.keys())
        try ledger.append([.sample(1)])
        try holding([Self.name]) {
            try ledger.append([.sample(2)])
            try other.append([.sample(3)])
            try holding(["ledger-2.jsonl"]) { try other.append([.sample(4)]) }
            #expect(try other.read().count == 4)
        }
        try other.append([.sample(5)])
        let read = try ledger.read()
        #expect((1...5).allSatisfy { read.contains(LedgerEntry.sample($0).subject) })
        #expect(try folder.mode("ledger-2.jsonl") == 0o600)
        let lines = try [Self.name, "ledger-2.jsonl", "ledger-3.jsonl"].map {
            try folder.read($0).split(separator: UInt8(ascii: "\n")).count
        }
        #expect(lines == [2, 2, 1], "a process that finds the first file free writes into it")
    }

    @Test("a ledger file that is changed, missing, or in another's place is found")
    func volumes() throws {
        try ledger.append([.sample(1)])
        try holding([Self.name]) {
            try ledger.append([.sample(2)])
            try holding(["ledger-2.jsonl"]) { try ledger.append([.sample(3)]) }
        }
        let second = try folder.read("ledger-2.jsonl")
        let third = try folder.read("ledger-3.jsonl")
        for (name, content) in [
            (Self.name, second), ("ledger-2.jsonl", third), ("ledger-3.jsonl", second), ("ledger-3.jsonl", third + second),
        ] {
            let good = try folder.read(name)
            try folder.overwrite(name, content)
            let error = #expect(throws: FarewellError.self) { try ledger.read() }
            #expect(error?.code == "ledger.tampered" && error?.message.contains(name) == true, "\(name)")
            try folder.overwrite(name, good)
        }
        #expect(try ledger.read().count == 3)
        try FileManager.default.removeItem(atPath: folder.path("ledger-2.jsonl"))
        #expect(code { _ = try ledger.read() } == "ledger.tampered")
    }

    @Test("ten thousand entries are read back")
    func many() throws {
        for batch in 0..<10 { try ledger.append((0..<1000).map { .sample(batch * 1000 + $0) }) }
        #expect(try ledger.read().count == 10_000)
    }

    @Test("a ledger that other users can read is refused")
    func exposed() throws {
        try ledger.append([.sample(1)])
        try folder.set(mode: 0o644, of: Self.name)
        #expect(code { _ = try ledger.read() } == "state.readable-by-others")
        #expect(code { try ledger.append([.sample(2)]) } == "state.readable-by-others")
    }
}
