// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("A participant that does not return")
struct SilentParticipantTests {
    /// Returns only once its gate is open, even if it is cancelled.
    private static func silent(_ gate: Gate, _ diary: Diary) -> MemoryParticipant {
        MemoryParticipant("silent") {
            diary.note("silent")
            await gate.pass()
        }
    }

    private static func isUnfinished(_ report: WipeReport) -> Bool {
        report.lines.contains { line in
            guard line.name == "silent", case .failed(let error) = line.outcome else { return false }
            return error.code == "device.participant-unfinished" && error.family == .tryAgain
        }
    }

    @Test("CF-2 CF-6 a participant that does not return is reported after its limit, holds up no other, and is not called again meanwhile")
    func reported() async throws {
        let (gate, time, diary) = (Gate(), VirtualTime(), Diary())
        let registry = try WipeRegistry(
            [
                Self.silent(gate, diary), NotingParticipant(name: "other", diary: diary),
                NotingParticipant(name: "next", diary: diary, after: ["other"]),
                NotingParticipant(name: "dependent", diary: diary, after: ["silent"]),
            ], pause: time.environment().pause)
        async let wiping = registry.wipe(.signOut)
        try await time.passLimit(afterBegun: 2)
        let report = await wiping
        #expect(report.lines.map(\.name) == ["silent", "other", "next", "dependent"] && Self.isUnfinished(report), "\(report)")
        #expect(report.lines.dropFirst().map(\.outcome) == [.cleared, .cleared, .waiting(for: "silent")])

        let again = await registry.wipe(.deletion)
        #expect(Self.isUnfinished(again) && again.lines[1].outcome == .cleared, "\(again)")
        #expect(diary.all.count { $0 == "silent" } == 1, "it is still at work")
        gate.open()
        try await eventually { await registry.wipe(.signOut).isClean }
        #expect(diary.all.count { $0 == "silent" } == 2 && diary.all.contains("dependent"))
    }

    @Test("CF-2 the work of a participant is not cancelled with the departure's caller")
    func uncancelled() async throws {
        let (gate, diary) = (Gate(), Diary())
        let registry = try WipeRegistry(
            [
                MemoryParticipant("slow") {
                    await gate.pass()
                    try Task.checkCancellation()
                    diary.note("done")
                }
            ], pause: VirtualTime().environment().pause)
        let wiping = Task { await registry.wipe(.signOut) }
        try await gate.arrived()
        wiping.cancel()
        gate.open()
        #expect(await wiping.value.isClean && diary.all == ["done"])
    }

    @Test(
        "SO-8 SO-14 CF-2 a sign-out and a deletion go on without it, the user is out, and the next launch clears what it left",
        arguments: [false, true])
    func goesOn(deletes: Bool) async throws {
        try await World.with { world in
            let (gate, diary) = (Gate(), Diary())
            let images = FolderParticipant("images", at: world.images)
            let (device, _) = try await world.signedIn(
                "anna", world.device(participants: [Self.silent(gate, diary), images]))
            let leaving = Task { try await deletes ? device.deleteAccount().device : device.signOut().device }
            // A deletion clears what is in memory first, so that only this one was called.
            try await world.time.passLimit(afterBegun: deletes ? 1 : 2)
            let report = try await leaving.value
            #expect(Self.isUnfinished(report) && report.lines.last?.outcome == .cleared, "\(report)")
            #expect(!world.isThere(world.images), "the other place is clean")
            #expect(await device.standing == .signedOut(deletes ? .accountDeleted : .byYou))
            #expect(try await device.journal.read() != nil, "what is left is not forgotten")

            let next = try world.device(participants: [Self.silent(Gate.passable, diary), images])
            await next.launch()
            // A deletion clears what is in memory twice: with the tokens, and with everything.
            #expect(try await next.journal.read() == nil && diary.all.count { $0 == "silent" } == (deletes ? 3 : 2))
            gate.open()
        }
    }

    @Test("AD-7 SO-10 the next user is not shown before the participant is done with the data of the one before")
    func nextUser() async throws {
        try await World.with { world in
            let (gate, diary) = (Gate(), Diary())
            let (device, _) = try await world.signedIn("anna", world.device(participants: [Self.silent(gate, diary)]))
            let leaving = Task { try await device.signOut() }
            try await world.time.passLimit(afterBegun: 1)
            _ = try await leaving.value
            let backend = world.backend
            let refused = await code {
                _ = try await device.signIn { () async throws(ProviderFailure) in backend.signIn("berta") }
            }
            #expect(refused == "device.not-clean" && diary.all.count == 1)
            gate.open()
            try await eventually {
                let session = try? await device.signIn { () async throws(ProviderFailure) in backend.signIn("berta") }
                return session?.user.id == "berta"
            }
            #expect(diary.all.count >= 2)
        }
    }
}

extension Gate {
    /// One that holds up no work.
    fileprivate static var passable: Gate {
        let gate = Gate()
        gate.open()
        return gate
    }
}
