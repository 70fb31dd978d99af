// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@testable import FarewellClient

/// A device and a fake of Firebase Authentication, made from its documented requests and replies.
@Suite("A device and Firebase")
struct FirebaseTests {
    private static let password = Token("correct horse battery staple")

    /// A device's folder, a fake of Firebase, and its client.
    private struct Place {
        let world = World()
        let server: CountingServer
        let provider: FirebaseProvider

        init() throws {
            server = try CountingServer(.creator)
            let root = try #require(URL(string: server.url))
            provider = FirebaseProvider(
                apiKey: "example", identity: root.appending(path: "identitytoolkit"),
                secureToken: root.appending(path: "securetoken"), transport: LiveHTTPTransport(timeout: 60))
            try FileManager.default.createDirectory(atPath: world.path, withIntermediateDirectories: true)
        }

        func remove() {
            server.stop()
            try? FileManager.default.removeItem(atPath: world.path)
        }
    }

    private func signIn(_ device: FarewellDevice, _ provider: FirebaseProvider, isNew: Bool = false) async throws -> DeviceSession {
        try await device.signIn { () async throws(ProviderFailure) in
            isNew
                ? try await provider.signUp(email: "anna@example.org", password: Self.password)
                : try await provider.signIn(email: "anna@example.org", password: Self.password)
        }
    }

    private func prove(
        _ device: FarewellDevice, _ provider: FirebaseProvider, _ email: String, isNew: Bool = false
    ) async throws {
        try await device.reauthenticate { () async throws(ProviderFailure) in
            isNew
                ? try await provider.signUp(email: email, password: Self.password)
                : try await provider.signIn(email: email, password: Self.password)
        }
    }

    @Test("SE-10 SE-2 SO-12 Firebase: sign-up, restore, renewal by a form, local sign-out and another sign-in")
    func life() async throws {
        let place = try Place()
        defer { place.remove() }
        let (world, server, provider) = (place.world, place.server, place.provider)
        let device = try world.device(provider)
        await device.launch()
        let first = try await signIn(device, provider, isNew: true)
        try world.leaveTraces()
        #expect(try await world.device(provider).launch().session == first)
        let renewed = try await device.renewed(from: first)
        #expect(renewed.accessToken != first.accessToken && renewed.refreshToken == first.refreshToken)
        #expect(try await server.count().refreshes == 1)
        #expect(await code { _ = try await device.signOut(.global) } == "device.scope")
        #expect(await device.standing.session == renewed, "the error is shown and nothing changes")
        let out = try await device.signOut(timeout: .seconds(60))
        #expect(out.isComplete && !world.isThere(world.images))
        #expect(try await server.count().sessions.count == 1, "Firebase ends none for a device")
        #expect(try await world.device(provider).launch() == .signedOut(.byYou))
        #expect(await code { _ = try await signIn(device, provider, isNew: true) } == "device.firebase", "the address is taken")
        #expect(try await signIn(device, provider).user == first.user)
    }

    @Test(
        "SE-10 AD-6 Firebase deletes only after a recent sign-in: after an old one the client requests a new one, and refuses another user")
    func recent() async throws {
        let place = try Place()
        defer { place.remove() }
        let (world, server, provider) = (place.world, place.server, place.provider)
        let device = try world.device(provider)
        await device.launch()
        try await server.behave("age")
        _ = try await signIn(device, provider, isNew: true)
        try world.leaveTraces()
        #expect(await code { _ = try await device.deleteAccount() } == "device.recent-sign-in-needed")
        #expect(world.isThere(world.images) && world.isThere(world.database))
        try await server.behave("fine")
        #expect(await code { try await prove(device, provider, "berta@example.org", isNew: true) } == "device.another-person")
        try await prove(device, provider, "anna@example.org")
        let result = try await device.deleteAccount()
        #expect(result.isDone && result.device.isClean && !world.isThere(world.database))
        #expect(try await Array(server.count().people.keys) == ["berta@example.org"])
        #expect(await code { _ = try await signIn(device, provider) } == "device.firebase")
    }

    @Test("C6 SV-9 Firebase has no status: after a lost answer the end of the session shows the result, and the device is cleared")
    func lostAnswer() async throws {
        for way in ["again", "renewal"] {
            let place = try Place()
            defer { place.remove() }
            let (world, server, provider) = (place.world, place.server, place.provider)
            let device = try world.device(provider)
            await device.launch()
            let session = try await signIn(device, provider, isNew: true)
            try world.leaveTraces()
            try await server.behave("deaf")
            #expect(await code { _ = try await device.deleteAccount() } == "device.offline")
            #expect(world.isThere(world.images) && world.isThere(world.database), "it may not have been heard")
            #expect(try await server.count().people.isEmpty)
            try await server.behave("fine")
            if way == "again" {
                #expect(try await device.deleteAccount().isDone)
            } else {
                _ = try? await device.renewed(from: session)
            }
            #expect(await device.standing == .signedOut(.accountDeleted), "\(way)")
            #expect(!world.isThere(world.images) && !world.isThere(world.database), "\(way)")
            #expect(try await world.device(provider).launch() == .signedOut(nil), "\(way)")
        }
    }
}
