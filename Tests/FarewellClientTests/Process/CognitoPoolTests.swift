// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@testable import FarewellClient

/// A device and the user pool that moto plays.
@Suite("A device and a user pool of Cognito")
struct CognitoPoolTests {
    private struct Pool: Decodable {
        let address: URL
        let client: String
        let people: [String]
        /// How often each call was made as AWS describes it.
        let asked: [String: Int]
    }

    private static let password = Token("Correct-horse-1-battery")

    private func signIn(
        _ device: FarewellDevice, _ provider: CognitoProvider, _ name: String, _ password: Token = Self.password
    ) async throws -> DeviceSession {
        try await device.signIn { () async throws(ProviderFailure) in
            try await provider.signIn(username: name, password: password)
        }
    }

    @Test("SE-10 SE-2 Cognito as simulated by moto: sign-in, restore, renewal, sign-out everywhere, and its own errors are read")
    func journey() async throws {
        let server = try CountingServer(script: "Interop/cognito_pool.py")
        defer { server.stop() }
        try await server.behave("anna")
        try await server.behave("berta")
        let pool = try JSONDecoder().decode(Pool.self, from: await server.control("GET", "").body)
        let provider = CognitoProvider(pool.address, clientID: pool.client, transport: LiveHTTPTransport(timeout: 60))
        try await World.with { world in
            func device(_ name: String) throws -> FarewellDevice {
                try FarewellDevice(provider, in: StateFolder(world.path + "/" + name), participants: world.participants)
            }
            let phone = try device("phone")
            #expect(await phone.launch() == .signedOut(nil))
            #expect(await code { _ = try await signIn(phone, provider, "anna", Token("Wrong-horse-1")) } == "device.cognito")
            let first = try await signIn(phone, provider, "anna")
            #expect(!first.user.id.isEmpty && first.lifetime > 0)
            try world.leaveTraces()
            #expect(await (try device("phone")).launch().session?.accessToken == first.accessToken)
            let renewed = try await phone.renewed(from: first)
            #expect(renewed.accessToken != first.accessToken && renewed.user == first.user)

            // Berta's tablet is ended from her requests; Anna's phone is not.
            let (tablet, requests) = (try device("tablet"), try device("requests"))
            await tablet.launch()
            await requests.launch()
            let lost = try await signIn(tablet, provider, "berta")
            _ = try await signIn(requests, provider, "berta")
            #expect(try await requests.signOut(.global, timeout: .seconds(60)).server == .told)
            #expect(await code { _ = try await tablet.renewed(from: lost) } == "ProviderFailure")
            #expect(await tablet.standing == .signedOut(.refused))
            let last = try await phone.renewed(from: renewed)
            #expect(last.accessToken != renewed.accessToken)

            // A 500 is no refusal: the device stays signed in, and deletes the account all the same.
            try await server.behave("-anna")
            #expect(await code { _ = try await phone.renewed(from: last) } == "ProviderFailure")
            #expect(await phone.standing == .signedIn(last))
            let out = try await phone.signOut(timeout: .seconds(60))
            #expect(out.server == .told && out.device.isClean && !world.isThere(world.images))
            #expect(await (try device("phone")).launch() == .signedOut(.byYou))
        }
    }

    @Test("SO-5 SE-10 Cognito: a local sign-out revokes only this device's token; a deletion revokes all tokens")
    func revoking() async throws {
        let server = try CountingServer(script: "Interop/cognito_pool.py")
        defer { server.stop() }
        try await server.behave("anna")
        func pool() async throws -> Pool { try JSONDecoder().decode(Pool.self, from: await server.control("GET", "").body) }
        let (address, client) = (try await pool().address, try await pool().client)
        let provider = CognitoProvider(address, clientID: client, transport: LiveHTTPTransport(timeout: 60))
        try await World.with { world in
            func device(_ name: String) throws -> FarewellDevice {
                try FarewellDevice(provider, in: StateFolder(world.path + "/" + name), participants: world.participants)
            }
            let (phone, laptop, requests) = (try device("phone"), try device("laptop"), try device("requests"))
            for device in [phone, laptop, requests] { await device.launch() }
            let left = try await signIn(phone, provider, "anna")
            let kept = try await signIn(laptop, provider, "anna")
            let third = try await signIn(requests, provider, "anna")
            let out = try await phone.signOut(timeout: .seconds(60))
            #expect(out.server == .told && out.isComplete)
            #expect(try await pool().asked["RevokeToken"] == 1, "asked as AWS describes it")
            await #expect(throws: ProviderFailure.ended(.refused)) { try await provider.renew(left, nonce: "n") }
            let renewed = try await laptop.renewed(from: kept)
            #expect(renewed.accessToken != kept.accessToken)
            // Asked again, it has ended already, which was wanted.
            try await provider.signOut(left, scope: .local)

            #expect(try await laptop.deleteAccount().isDone)
            let after = try await pool()
            #expect(after.people.isEmpty && after.asked["DeleteUser"] == 1)
            #expect(await laptop.standing == .signedOut(.accountDeleted))
            #expect(await code { _ = try await requests.renewed(from: third) } == "ProviderFailure")
            #expect(await requests.standing == .signedOut(.refused))
            #expect(await code { _ = try await signIn(phone, provider, "anna") } != nil, "no user of that name")
        }
    }
}
