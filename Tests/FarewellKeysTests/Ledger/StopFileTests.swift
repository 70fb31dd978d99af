// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellKeys
import Foundation
import TestFixtures
import Testing

@Suite("The file of stops")
struct StopFileTests {
    let folder: StateFolder
    let stops: StopFile

    init() throws {
        folder = try StateFolder()
        stops = StopFile(try folder.keys())
    }

    static let name = "stops.jsonl"
    private static let start = Date(timeIntervalSince1970: 1_763_723_280)

    @Test("OP-4 OPS-01 another process reads every stop, and a hold counts until it is ended")
    func roundTrip() throws {
        #expect(try stops.read().cancelled.isEmpty && stops.read().held.isEmpty)
        try stops.append([])
        #expect(!FileManager.default.fileExists(atPath: folder.path(Self.name)))
        let (one, two, three) = (UUID(), UUID(), UUID())
        try stops.append([.cancelled(one, at: Self.start), .held(two, at: Self.start)])
        try stops.append([.held(three, at: Self.start), .holdEnded(two, at: Self.start), .keyRemoved("Pq2", at: Self.start)])
        let read = try StopFile(try folder.keys()).read()
        #expect(read.cancelled == [one: Self.start] && read.held == [three: Self.start] && read.removedKeys == ["Pq2"])
        #expect(try folder.mode(Self.name) == 0o600)
        #expect(try LedgerFile(try folder.keys()).read().count == 0, "the ledger has files of its own")
    }

    @Test("OP-4 OPS-01 the newest word about a hold counts, in whichever file it was written")
    func order() {
        let id = UUID()
        let lines: [Stop] = [.holdEnded(id, at: Self.start + 1), .held(id, at: Self.start), .held(id, at: Self.start + 2)]
        #expect(Stops(lines).held == [id: Self.start + 2])
        #expect(Stops(lines.dropLast()).held.isEmpty)
    }

    @Test("OP-4 OPS-01 changed, dropped and foreign lines are found, nothing follows them, and a torn last line is skipped")
    func tampered() throws {
        try stops.append([.cancelled(UUID(), at: Self.start), .held(UUID(), at: Self.start)])
        let good = try folder.read(Self.name)
        for place in stride(from: 0, to: good.count - 1, by: 7) {
            var bad = good
            bad[place] ^= 1
            try folder.overwrite(Self.name, bad)
            #expect(code { _ = try stops.read() } == "ledger.tampered", "byte \(place)")
        }
        #expect(code { try StopFile(folder.keys()).append([.cancelled(UUID(), at: Self.start)]) } == "ledger.tampered")
        try folder.overwrite(Self.name, Data(good.drop { $0 != UInt8(ascii: "\n") }.dropFirst()))
        #expect(code { _ = try stops.read() } == "ledger.tampered")
        let ledger = LedgerFile(try folder.keys())
        try ledger.append([.sample(1)])
        let entry = try folder.read("ledger.jsonl")
        try folder.overwrite(Self.name, entry)
        #expect(code { _ = try stops.read() } == "ledger.tampered")
        try folder.overwrite("ledger.jsonl", good)
        #expect(code { _ = try ledger.read() } == "ledger.tampered")
        try folder.overwrite(Self.name, good.dropLast())
        #expect(try stops.read().cancelled.count == 1)
        #expect(try stops.read().held.isEmpty)
    }

    @Test("OP-4 OPS-01 no new keys are made beside an old file of stops")
    func lostKeys() throws {
        try stops.append([.cancelled(UUID(), at: Self.start)])
        try FileManager.default.removeItem(atPath: folder.path("keys.json"))
        #expect(code { _ = try folder.keys() } == "keys.missing")
    }
}
