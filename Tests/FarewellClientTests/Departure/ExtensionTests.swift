// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("An app and its extension, which cannot reach the app's own data")
struct ExtensionTests {
    private func device(inExtensionOf world: World) throws -> FarewellDevice {
        var environment = world.time.environment()
        environment.isExtension = true
        let folder = try world.folder
        return try FarewellDevice(
            world.network, in: folder, store: FileTokenStore(in: folder), participants: [], environment: environment)
    }

    @Test("SO-9 SO-14 the extension signs out at once, and the app's next launch clears the app's data")
    func signsOut() async throws {
        try await World.with { world in
            let (_, session) = try await world.signedIn()
            let widget = try device(inExtensionOf: world)
            await widget.launch()
            let result = try await widget.signOut(timeout: .seconds(3_600))
            #expect(result.server == .told && !result.isComplete)
            #expect(result.problems.map(\.code) == ["device.left-to-app"])
            #expect(await widget.standing == .signedOut(.byYou) && !world.backend.isLive(session))
            #expect(world.isThere(world.images), "it is the app's")
            #expect(try await device(inExtensionOf: world).launch() == .signedOut(.byYou))
            #expect(world.isThere(world.images), "no launch of an extension forgets it")
            let app = try world.device()
            #expect(await app.launch() == .signedOut(.byYou))
            #expect(!world.isThere(world.images) && world.memory.withLock { $0 } == 0)
            #expect(try await app.journal.read() == nil)
            #expect(try await device(inExtensionOf: world).launch() == .signedOut(.byYou))
        }
    }

    static let courses: [Departure.Course] =
        [SignOutState.intended, .queued, .tokensCleared, .tokensStuck, .unclean].map {
            .signOut($0, wipes: .signOut, nil)
        }
        + [DeletionState.accepted, .subscriptionsLeft, .tokensCleared, .tokensStuck, .unclean].map {
            .deletion($0, DeletionIntent(key: "key", ticket: Token("ticket")))
        }

    @Test("SO-14 CF-2 an app killed at any step is finished by the app, also if its extension runs first", arguments: courses)
    func killed(_ course: Departure.Course) async throws {
        try await World.with { world in
            let (killed, session) = try await world.signedIn()
            let isDeletion = if case .deletion = course { true } else { false }
            let reason = isDeletion ? SignOutReason.accountDeleted : .byYou
            try await killed.journal.write(Departure(id: "one", sessionID: session.id, reason: reason, course: course))
            #expect(try await device(inExtensionOf: world).launch() == .signedOut(reason))
            #expect(try await device(inExtensionOf: world).launch() == .signedOut(reason))
            #expect(world.isThere(world.images))
            let app = try world.device()
            #expect(await app.launch() == .signedOut(reason))
            #expect(!world.isThere(world.images) && world.isThere(world.database) == !isDeletion)
            #expect(try await app.journal.read() == nil)
        }
    }

    @Test("SO-9 an app that runs while its extension signs out clears its data as soon as it notices")
    func running() async throws {
        try await World.with { world in
            let (app, _) = try await world.signedIn()
            let widget = try device(inExtensionOf: world)
            await widget.launch()
            _ = try await widget.signOut(timeout: .zero)
            #expect(await code { _ = try await app.session } == "device.signed-out")
            try await eventually { !world.isThere(world.images) && world.memory.withLock { $0 } == 0 }
            try await eventually { (try? await app.journal.read() == nil) == true }
        }
    }

    @Test("SO-10 an extension signs no other user in while the app's data of the previous user is on the device")
    func another() async throws {
        try await World.with { world in
            _ = try await world.signedIn()
            let widget = try device(inExtensionOf: world)
            await widget.launch()
            _ = try await widget.signOut(timeout: .zero)
            let backend = world.backend
            let berta = backend.signIn("berta")
            #expect(
                await code { _ = try await widget.signIn { () async throws(ProviderFailure) in berta } } == "device.not-clean")
            #expect(!backend.isLive(berta.value), "the server ends a session that the device could not keep")
            let app = try world.device()
            await app.launch()
            try await app.signIn { () async throws(ProviderFailure) in backend.signIn("berta") }
            #expect(!world.isThere(world.images) && !world.isThere(world.database))
        }
    }

    @Test("AD-7 SO-10 an extension that deletes the account signs no other user in before the app has cleared its data")
    func afterDeletion() async throws {
        try await World.with { world in
            _ = try await world.signedIn()
            let widget = try device(inExtensionOf: world)
            await widget.launch()
            #expect(try await widget.deleteAccount().problems.map(\.code) == ["device.left-to-app"])
            let backend = world.backend
            let refused = await code {
                _ = try await widget.signIn { () async throws(ProviderFailure) in backend.signIn("berta") }
            }
            #expect(refused == "device.not-clean" && world.isThere(world.images))
            let app = try world.device()
            #expect(await app.launch() == .signedOut(.accountDeleted))
            #expect(!world.isThere(world.images) && !world.isThere(world.database))
            try await app.signIn { () async throws(ProviderFailure) in backend.signIn("berta") }
            #expect(try await app.journal.read() == nil)
        }
    }

    @Test("SO-7 when a user signs in again, the server learns of the earlier session's end without another call")
    func again() async throws {
        try await World.with { world in
            let (device, first) = try await world.signedIn()
            let backend = world.backend
            let second = try await device.signIn { () async throws(ProviderFailure) in backend.signIn("anna") }
            try await eventually { !backend.isLive(first) }
            #expect(backend.isLive(second))
        }
    }
}
