// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Stopped erasures after a restore of the database")
struct RestoredStopTests {
    private static let graceful = ServiceRules(graceDays: 7, secondLook: 0, poll: 1)
    private static let reason = "lawsuit 7"

    private func forgotten(_ place: WorkerFixture) async throws -> StopAgreement {
        try await ErasureEngine.forgottenStops(in: place.fixture.database, state: place.fixture.state)
    }

    private func restored(_ place: WorkerFixture) async throws -> [String] {
        let audit = place.fixture.control("audit")
        return try await place.fixture.rows("SELECT count(*) FROM \(audit) WHERE entry LIKE '%\"actor\":\"restore\"%'")
    }

    private func url(_ place: WorkerFixture) -> URL { URL(fileURLWithPath: place.fixture.state + "/stops.jsonl") }

    private func lines(_ place: WorkerFixture) throws -> Int {
        try Data(contentsOf: url(place)).split(separator: UInt8(ascii: "\n")).count
    }

    @Test(
        "OP-4 OPS-01 a restored database that forgot a cancellation and a hold has both again before anything is erased",
        arguments: SQLDialect.allCases)
    func putBack(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests(Self.graceful)
            let cancelled = try await requests.request("1").erasure
            let held = try await requests.request("2").erasure
            let other = try await requests.request("3").erasure
            let backup = try await ControlBackup(of: place.fixture)
            _ = try await requests.cancel(cancelled.id, by: "1")
            _ = try await requests.hold(held.id, reason: Self.reason, by: "operator")
            let text = String(decoding: try Data(contentsOf: url(place)), as: UTF8.self)
            let hash = try place.engine.subjectHash(of: "1").rawValue
            #expect(!text.contains("lawsuit") && !text.contains(hash) && text.contains(cancelled.id.text))
            #expect(try await forgotten(place).isEmpty)

            try await backup.restore(in: place.fixture)
            #expect(try await requests.erasure(cancelled.id)?.state == .grace)
            let found = try await forgotten(place)
            #expect(found.cancelled == [cancelled.id] && found.held == [held.id])
            #expect(try await restored(place) == ["0"], "looking changes nothing")
            let again = try await place.again(owner: "here:2:b")
            #expect(again.engine.putBack == found)
            #expect(place.fixture.log.lines.contains { $0.contains("had forgotten stopped erasures") })
            #expect(try await restored(place) == ["2"])
            try await again.ripen()
            try await again.working { _ = try await again.requests().wait(for: other.id, atMost: 60) }
            #expect(try await again.requests().erasure(other.id)?.state == .done)
            #expect(try await again.requests().erasure(cancelled.id)?.state == .cancelled)
            let back = try #require(try await again.requests().erasure(held.id))
            #expect(back.state == .grace && back.holdReason == StopReconciler.reason)
            #expect(try await place.fixture.count("people") == 2)
            #expect(try await again.again(owner: "here:3:c").engine.putBack.isEmpty)
            #expect(try await restored(place) == ["2"])
            #expect(try lines(place) == 2)
            _ = try await again.engine.verifyAudit()
        }
    }

    @Test(
        "OP-4 OPS-01 a worker that runs during the restore finds what the database forgot at its next comparison",
        arguments: SQLDialect.allCases)
    func kept(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests(Self.graceful)
            let asked = try await requests.request("1").erasure
            let backup = try await ControlBackup(of: place.fixture)
            _ = try await requests.hold(asked.id, reason: Self.reason, by: "operator")
            _ = try await requests.cancel(asked.id, by: "1")
            try await backup.restore(in: place.fixture)
            try await LedgerKeeper(engine: place.engine).perform()
            #expect(try await requests.erasure(asked.id)?.state == .cancelled)
            let next = try await requests.request("1").erasure
            #expect(next.holdReason == StopReconciler.reason, "the hold is the subject's")
        }
    }

    @Test(
        "OP-4 OPS-01 a process killed between the file and its commit leaves the erasure stopped",
        arguments: SQLDialect.allCases)
    func killed(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests(Self.graceful)
            var asked: [UUID] = []
            for subject in ["1", "2", "3"] { asked.append(try await requests.request(subject).erasure.id) }
            _ = try await requests.hold(asked[2], reason: Self.reason, by: "operator")
            let now = place.fixture.clock.now
            try place.engine.stops.append([
                .cancelled(asked[0], at: now), .held(asked[1], at: now), .holdEnded(asked[2], at: now),
            ])
            let again = try await place.again(owner: "here:2:b")
            #expect(again.engine.putBack.cancelled == [asked[0]] && again.engine.putBack.held == [asked[1]])
            #expect(try await requests.erasure(asked[0])?.state == .cancelled)
            #expect(try await requests.erasure(asked[1])?.holdReason == StopReconciler.reason)
            #expect(try await requests.erasure(asked[2])?.holdReason == Self.reason)
            #expect(try Set(again.engine.stops.read().held.keys) == [asked[1], asked[2]])
        }
    }

    @Test(
        "OP-4 OPS-01 a hold that an operator ended stays ended, also if another state directory was used for that",
        arguments: SQLDialect.allCases)
    func ended(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests(Self.graceful)
            let asked = try await requests.request("1").erasure
            _ = try await requests.hold(asked.id, reason: Self.reason, by: "operator")
            let held = try Data(contentsOf: url(place))
            _ = try await requests.endHold(of: asked.id, by: "operator")
            #expect(try await place.again(owner: "here:2:b").engine.putBack.isEmpty)
            try held.write(to: url(place))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url(place).path)
            for owner in ["here:3:c", "here:4:d"] {
                #expect(try await place.again(owner: owner).engine.putBack.isEmpty)
                #expect(try await requests.erasure(asked.id)?.holdReason == nil)
                #expect(try lines(place) == 2, "the end is added once")
            }
        }
    }

    @Test(
        "OP-4 OPS-03 a state directory without the file works as before, and gets the holds of the database once",
        arguments: SQLDialect.allCases)
    func older(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests(Self.graceful)
            let cancelled = try await requests.request("1").erasure
            let held = try await requests.request("2").erasure
            let backup = try await ControlBackup(of: place.fixture)
            _ = try await requests.cancel(cancelled.id, by: "1")
            _ = try await requests.hold(held.id, reason: Self.reason, by: "operator")
            #expect(try await forgotten(place).missingInFile.isEmpty)
            try FileManager.default.removeItem(at: url(place))
            let unknown = try await forgotten(place)
            #expect(unknown.isEmpty && unknown.missingInFile == [held.id])
            for owner in ["here:2:b", "here:3:c"] {
                #expect(try await place.again(owner: owner).engine.putBack.isEmpty)
                #expect(try lines(place) == 1)
            }
            #expect(try await forgotten(place).missingInFile.isEmpty)
            #expect(try await requests.erasure(held.id)?.holdReason == Self.reason)
            #expect(try await requests.erasure(cancelled.id)?.state == .cancelled)
            try await backup.restore(in: place.fixture)
            let found = try await forgotten(place)
            #expect(found.cancelled.isEmpty && found.held == [held.id])
        }
    }

    @Test(
        "OP-4 OPS-01 a cancelled erasure that a worker began after the restore is held, until an operator decides",
        arguments: SQLDialect.allCases)
    func begun(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests(Self.graceful)
            let asked = try await requests.request("1").erasure
            let backup = try await ControlBackup(of: place.fixture)
            _ = try await requests.cancel(asked.id, by: "1")
            try await backup.restore(in: place.fixture)
            try await place.ripen()
            #expect(try #require(await place.workers(Self.graceful).claimed()).map(\.id) == [asked.id])
            let again = try await place.again(owner: "here:2:b")
            #expect(again.engine.putBack.held == [asked.id] && again.engine.putBack.cancelled.isEmpty)
            #expect(try await requests.erasure(asked.id)?.holdReason == StopReconciler.reason)
            _ = try await requests.endHold(of: asked.id, by: "operator")
            #expect(try await place.again(owner: "here:3:c").engine.putBack.isEmpty)
            #expect(try await requests.erasure(asked.id)?.holdReason == nil)
        }
    }

    @Test(
        "OP-4 OPS-01 a cancellation and a hold succeed while the file takes no line, and the next process adds them",
        arguments: SQLDialect.allCases)
    func unwritable(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests(Self.graceful)
            var asked: [UUID] = []
            for subject in ["1", "2", "3"] { asked.append(try await requests.request(subject).erasure.id) }
            let backup = try await ControlBackup(of: place.fixture)
            _ = try await requests.hold(asked[2], reason: Self.reason, by: "operator")
            let written = try Data(contentsOf: url(place))
            try FileManager.default.removeItem(at: url(place))
            // A folder in the place of the file.
            try FileManager.default.createDirectory(at: url(place), withIntermediateDirectories: false)
            #expect(try await requests.cancel(asked[0], by: "1").state == .cancelled)
            _ = try await requests.hold(asked[1], reason: Self.reason, by: "operator")
            _ = try await requests.endHold(of: asked[2], by: "operator")
            #expect(place.fixture.log.lines.contains { $0.contains("in the database only") })
            #expect(try await kinds(place, "is_late = 1") == ["cancelled", "held", "hold-ended"])
            try FileManager.default.removeItem(at: url(place))
            try written.write(to: url(place))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url(place).path)

            // Another process: the one that could not write has ended.
            let again = try await place.again(owner: "here:2:b")
            let stops = try again.engine.stops.read()
            #expect(Array(stops.cancelled.keys) == [asked[0]] && Array(stops.held.keys) == [asked[1]])
            #expect(again.engine.putBack.isEmpty)
            #expect(try await kinds(place, "is_late = 1") == [])
            #expect(try await kinds(place, "is_late = 0") == ["hold-ended"])
            #expect(try lines(place) == 4)
            try await again.engine.reconcileStops()
            #expect(try lines(place) == 4, "each is added once")
            try await backup.restore(in: place.fixture)
            let found = try await forgotten(place)
            #expect(found.cancelled == [asked[0]] && found.held == [asked[1]])
        }
    }

    @Test("OP-4 OPS-01 the end of a hold is found by its erasure, until the hold is put on again", arguments: SQLDialect.allCases)
    func endsOfHolds(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests(Self.graceful)
            let asked = try await requests.request("1").erasure
            let ends = place.engine.control.holdEnds(of: [asked.id, UUID()])
            _ = try await requests.hold(asked.id, reason: Self.reason, by: "operator")
            #expect(try await ends.run(in: place.fixture.database).isEmpty)
            _ = try await requests.endHold(of: asked.id, by: "operator")
            #expect(try await Array(ends.run(in: place.fixture.database).keys) == [asked.id])
            _ = try await requests.hold(asked.id, reason: Self.reason, by: "operator")
            #expect(try await ends.run(in: place.fixture.database).isEmpty)
            #expect(try await kinds(place, "is_late = 0") == [])
        }
    }

    @Test(
        "OP-4 OPS-01 a long file is read from where it agreed with the database, and a restore goes back before that",
        arguments: SQLDialect.allCases)
    func marked(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let (requests, control) = (place.requests(Self.graceful), place.engine.control)
            let cancelled = try await requests.request("1").erasure
            let held = try await requests.request("2").erasure
            _ = try await requests.hold(held.id, reason: Self.reason, by: "operator")
            let many = (0..<600).map { _ in Stop.cancelled(UUID(), at: place.fixture.clock.now) }
            try place.engine.stops.append(many)
            #expect(try await control.stopMark.run(in: place.fixture.database) == nil)
            try await place.engine.reconcileStops()
            let first = try #require(try await control.stopMark.run(in: place.fixture.database))
            let reading = try StopFile(place.engine.keys).read(after: first)
            #expect(reading.size == 0 && reading.stops.cancelled.isEmpty && Array(reading.stops.held.keys) == [held.id])
            try await place.engine.reconcileStops()
            #expect(try await control.stopMark.run(in: place.fixture.database) == first, "a mark for each long part")

            let backup = try await ControlBackup(of: place.fixture)
            _ = try await requests.cancel(cancelled.id, by: "1")
            _ = try await requests.endHold(of: held.id, by: "operator")
            try place.engine.stops.append(many)
            try await place.engine.reconcileStops()
            #expect(try await control.stopMark.run(in: place.fixture.database) != first)
            try await backup.restore(in: place.fixture)
            #expect(try await forgotten(place).cancelled == [cancelled.id])
            let again = try await place.again(owner: "here:2:b")
            #expect(again.engine.putBack.cancelled == [cancelled.id] && again.engine.putBack.held.isEmpty)

            // A mark does not hide what was changed before it.
            var bytes = try Data(contentsOf: url(place))
            bytes[40] ^= 1
            try bytes.write(to: url(place))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url(place).path)
            await #expect(throws: FarewellError.self) { try await again.engine.reconcileStops() }
        }
    }

    private func kinds(_ place: WorkerFixture, _ condition: String) async throws -> [String] {
        let table = place.fixture.control("stops")
        return try await place.fixture.rows("SELECT kind FROM \(table) WHERE \(condition) ORDER BY kind")
    }
}
