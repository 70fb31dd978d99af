// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("Work of a former session that continues while another session begins")
struct LateWorkTests {
    @Test("C14 CF-1 a deletion that ends after the same user has signed in again does not change the new session and its data")
    func sameUser() async throws {
        try await World.with { world in
            let gate = Gate()
            let (device, anna) = try await world.signedIn("anna", world.device(GatedProvider(network: world.network, gate: gate)))
            let deletion = Task { try await device.deleteAccount() }
            try await gate.arrived()
            let (_, again) = try await world.signedIn("anna", device)
            gate.open()
            #expect(try await deletion.value.isDone)
            #expect(await device.standing == .signedIn(again))
            #expect(try await device.session == again)
            #expect(world.isThere(world.images) && world.isThere(world.database) && world.memory.withLock { $0 } == 3)
            #expect(try await device.journal.read() == nil)
            #expect(!world.backend.isLive(anna) && world.backend.isLive(again))
        }
    }

    @Test("C14 SE-4 a user who signs in while a launch repeats the request of a deletion is signed in, and followers learn of it")
    func duringLaunch() async throws {
        try await World.with { world in
            let copy = try await killedBeforeRequest(world, FileTokenStore(in: world.folder))
            let gate = Gate()
            let next = try FarewellDevice(
                GatedProvider(network: world.network, gate: gate), in: StateFolder(copy),
                store: FileTokenStore(in: StateFolder(copy)), participants: world.participants, environment: world.time.environment())
            let seen = Guarded<[SessionEvent]>([])
            let following = Task { for await event in next.events { seen.withLock { $0.append(event) } } }
            try await eventually { seen.withLock { !$0.isEmpty } }
            let launch = Task { await next.launch() }
            try await gate.arrived()
            let backend = world.backend
            let berta = try await next.signIn { () async throws(ProviderFailure) in backend.signIn("berta") }
            try world.leaveTraces()
            gate.open()
            #expect(await launch.value == .signedIn(berta))
            #expect(try await next.session == berta)
            #expect(world.isThere(world.images) && world.isThere(world.database))
            try await eventually { seen.withLock { $0.last == .signedIn(berta) } }
            #expect(!world.backend.hasAccount("anna"))
            following.cancel()
        }
    }

    /// The state folder of a process that ended after it had recorded a deletion and before it requested it.
    private func killedBeforeRequest(_ world: World, _ store: any TokenStore) async throws -> String {
        let parked = Gate()
        let (device, _) = try await world.signedIn(
            "anna", world.device(store: store, observe: parked.stopping(at: .deletion(.intended))))
        // The process never continues; its files are what a kill leaves.
        Task { try await device.deleteAccount() }
        try await parked.opened()
        let copy = world.path + "/killed"
        try FileManager.default.copyItem(atPath: world.path + "/state", toPath: copy)
        return copy
    }

    @Test("C2 C12 a deletion that was killed before its request is requested once the tokens can be read")
    func locked() async throws {
        try await World.with { world in
            let store = LockableStore()
            let copy = try await killedBeforeRequest(world, store)
            store.isLocked.withLock { $0 = true }
            let next = try FarewellDevice(
                world.network, in: StateFolder(copy), store: store, participants: world.participants, environment: world.time.environment())
            #expect(await next.launch().help == .wait)
            #expect(world.backend.hasAccount("anna") && world.isThere(world.images))
            store.isLocked.withLock { $0 = false }
            try await eventually {
                world.time.endedPauses()
                return (try? await next.journal.read() == nil) == true
            }
            #expect(await next.standing == .signedOut(.accountDeleted))
            #expect(!world.backend.hasAccount("anna") && !world.isThere(world.images))
        }
    }

    @Test("SO-10 once the tokens are lost, an unanswered deletion blocks no other user's sign-in; the former user's data is wiped first")
    func unanswered() async throws {
        try await World.with { world in
            let network = world.network
            let provider = CustomProvider(
                "farewell", renewing: { session, nonce throws(ProviderFailure) in try await network.renew(session, nonce: nonce) },
                signingOut: { _, _ throws(ProviderFailure) in },
                requestingDeletion: { _, _ throws(ProviderFailure) in throw Network.offline })
            let (device, _) = try await world.signedIn("anna", world.device(provider))
            #expect(await code { _ = try await device.deleteAccount() } == "device.offline")
            let next = try world.device(provider, store: MemoryTokenStore())
            #expect(await next.launch().session == nil)
            #expect(world.isThere(world.images))
            let backend = world.backend
            let berta = try await next.signIn { () async throws(ProviderFailure) in backend.signIn("berta") }
            #expect(await next.standing == .signedIn(berta))
            #expect(!world.isThere(world.images) && !world.isThere(world.database))
            #expect(try await next.journal.read() == nil)
        }
    }

    @Test("SO-10 a process that finds another user signed in clears the former user's data from its memory")
    func changedUser() async throws {
        try await World.with { world in
            let list = Guarded(3)
            let mine = MemoryParticipant(
                "list", clears: .onDeletion, clear: { list.withLock { $0 = 0 } }, count: { list.withLock { $0 } })
            let (device, _) = try await world.signedIn("anna", world.device(participants: [mine]))
            let other = try world.device()
            await other.launch()
            let backend = world.backend
            var events = device.events.makeAsyncIterator()
            _ = await events.next()
            let berta = try await other.signIn { () async throws(ProviderFailure) in backend.signIn("berta") }
            #expect(try await device.session == berta)
            #expect(await events.next() == .signedOut(.elsewhere))
            #expect(await events.next() == .signedIn(berta))
            #expect(list.withLock { $0 } == 0, "the next user is shown after that")
        }
    }

    @Test("SO-10 a process that saw the former user leave shows the next one once its memory is clear, also of what a sign-out keeps")
    func changedUserLater() async throws {
        try await World.with { world in
            let gate = Gate()
            let (seen, kept) = (Guarded(3), Guarded(3))
            let mine: [any Participant] = [
                MemoryParticipant(
                    "seen",
                    clear: {
                        await gate.pass()
                        seen.withLock { $0 = 0 }
                    }, count: { seen.withLock { $0 } }),
                MemoryParticipant(
                    "kept", clears: .onDeletion, clear: { kept.withLock { $0 = 0 } }, count: { kept.withLock { $0 } }),
            ]
            let (device, _) = try await world.signedIn("anna", world.device(participants: mine))
            let other = try world.device()
            await other.launch()
            let backend = world.backend
            var events = device.events.makeAsyncIterator()
            _ = await events.next()
            try await other.signOut()
            #expect(await code { _ = try await device.session } == "device.signed-out")
            #expect(await events.next() == .signedOut(.byYou))
            let berta = try await other.signIn { () async throws(ProviderFailure) in backend.signIn("berta") }
            #expect(try await device.session == berta)
            var late = device.events.makeAsyncIterator()
            #expect(await late.next() == .initial(.signedOut(.byYou)), "the memory is not clear yet")
            gate.open()
            #expect(await events.next() == .signedIn(berta))
            #expect(await late.next() == .signedIn(berta))
            #expect(seen.withLock { $0 } == 0 && kept.withLock { $0 } == 0)
        }
    }

    @Test("SO-7 SO-10 of two users who sign in at once, the one whose session is replaced is signed out here and at the server")
    func twoSignIns() async throws {
        try await World.with { world in
            let device = try world.device()
            await device.launch()
            // Both wait for the claim with their sessions in hand.
            world.time.standsStill.withLock { $0 = true }
            let held = try #require(try await device.journal.claim.takeToLeave())
            let backend = world.backend
            let sessions = ["anna", "berta"].map { backend.signIn($0) }
            let entering = sessions.map { answer in
                Task { try await device.signIn { () async throws(ProviderFailure) in answer } }
            }
            for _ in 0..<200 { await Task.yield() }
            held.release()
            for one in entering { _ = try await one.value }
            let kept = try #require(await device.standing.session)
            let replaced = try #require(sessions.map(\.value).first { $0.id != kept.id })
            try await eventually {
                world.time.endedPauses()
                return !backend.isLive(replaced)
            }
            #expect(backend.isLive(kept))
        }
    }

    @Test("SO-10 a user who was here by another process finds no memory of the user whom this process knew before")
    func memoryOfAnother() async throws {
        try await World.with { world in
            let kept = Guarded(3)
            let mine = MemoryParticipant(
                "kept", clears: .onDeletion, clear: { kept.withLock { $0 = 0 } }, count: { kept.withLock { $0 } })
            let (device, _) = try await world.signedIn("anna", world.device(participants: [mine]))
            let other = try world.device()
            await other.launch()
            let backend = world.backend
            try await other.signOut()
            try await other.signIn { () async throws(ProviderFailure) in backend.signIn("berta") }
            try await other.signOut()
            #expect(await code { _ = try await device.session } == "device.signed-out")
            #expect(kept.withLock { $0 } == 3, "Anna may return")
            try await device.signIn { () async throws(ProviderFailure) in backend.signIn("berta") }
            #expect(kept.withLock { $0 } == 0)
        }
    }

    @Test("SO-10 CF-3 a process whose user's account another process has deleted clears all of its memory")
    func deletedElsewhere() async throws {
        try await World.with { world in
            let list = Guarded(3)
            let kept = MemoryParticipant(
                "kept at sign-out", clears: .onDeletion, clear: { list.withLock { $0 = 0 } }, count: { list.withLock { $0 } })
            let (device, _) = try await world.signedIn("anna", world.device(participants: [kept]))
            let other = try world.device()
            await other.launch()
            _ = try await other.deleteAccount()
            #expect(await code { _ = try await device.session } == "device.signed-out")
            try await eventually { list.withLock { $0 } == 0 }
        }
    }

    @Test("SO-7 the session of a refused sign-in ends at the server once it can be reached, also by a later launch")
    func givenBack() async throws {
        try await World.with { world in
            let left = Guarded(["3 files"])
            let stuck = NotingParticipant(name: "in use", diary: Diary(), left: { left.withLock { $0 } })
            let (device, _) = try await world.signedIn("anna", world.device(participants: [stuck]))
            _ = try await device.signOut(timeout: .seconds(3_600))
            world.weather.withLock { $0 = .down }
            let berta = world.backend.signIn("berta")
            #expect(await code { try await device.signIn { () async throws(ProviderFailure) in berta } } == "device.not-clean")
            #expect(world.backend.isLive(berta.value))
            world.weather.withLock { $0 = .fine }
            let next = try world.device()
            await next.launch()
            try await eventually { !world.backend.isLive(berta.value) }
            #expect(await next.deliver(), "and nothing is left")
        }
    }

    @Test("AD-7 SO-10 CF-2 while data of a deleted account is left, no other user is signed in", arguments: [false, true])
    func leftAfterDeletion(isEndedByServer: Bool) async throws {
        try await World.with { world in
            let left = Guarded(["3 files"])
            let stuck = NotingParticipant(name: "in use", diary: Diary(), left: { left.withLock { $0 } })
            let (device, session) = try await world.signedIn("anna", world.device(participants: [stuck]))
            if isEndedByServer {
                world.backend.end(session.id, .accountDeleted)
                _ = try? await device.renewed(from: session)
            } else {
                #expect(try await !device.deleteAccount().device.isClean)
            }
            #expect(await device.standing == .signedOut(.accountDeleted))
            let backend = world.backend
            for next in try [device, world.device(participants: [stuck])] {
                await next.launch()
                let refused = await code {
                    try await next.signIn { () async throws(ProviderFailure) in backend.signIn("berta") }
                }
                #expect(refused == "device.not-clean")
                #expect(await next.standing.session == nil)
            }
            left.withLock { $0 = [] }
            try await device.signIn { () async throws(ProviderFailure) in backend.signIn("berta") }
            #expect(await device.standing.session?.user.id == "berta")
            #expect(try await device.journal.read() == nil)
        }
    }

    @Test("SO-4 a call that ends after another process has signed the user out returns nothing")
    func otherProcess() async throws {
        try await World.with { world in
            let (started, gate) = (Gate(), Gate())
            let (device, _) = try await world.signedIn()
            let other = try world.device()
            await other.launch()
            let call = Task {
                try await device.perform { _ in
                    started.open()
                    await gate.pass()
                    return "of Anna"
                }
            }
            try await started.opened()
            _ = try await other.signOut(timeout: .seconds(3_600))
            gate.open()
            #expect(await code { _ = try await call.value } == "device.signed-out")
            #expect(await device.standing == .signedOut(.byYou))
        }
    }

    @Test("SV-9 C14 the answer to a deletion counts even if another user is signed in when it arrives")
    func lateAnswer() async throws {
        try await World.with { world in
            let gate = Gate()
            let provider = CustomProvider(
                "backend", renewing: { session, _ async throws(ProviderFailure) in ProviderAnswer(session) },
                signingOut: { _, _ async throws(ProviderFailure) in },
                requestingDeletion: { _, _ async throws(ProviderFailure) in
                    await gate.pass()
                    return .done(DeletionProgress(state: "done"))
                })
            let (device, _) = try await world.signedIn("anna", world.device(provider))
            let deletion = Task { try await device.deleteAccount() }
            try await gate.arrived()
            let berta = world.backend.signIn("berta").value
            _ = try await world.device(provider).vault.overwrite { SessionRecord(generation: $0, session: berta) }
            gate.open()
            #expect(try await deletion.value.isDone)
            #expect(await device.standing == .signedIn(berta))
            #expect(try await device.journal.read() == nil)
        }
    }
}
