// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("Signing out of a session whose tokens have expired or whose end has come already")
struct EndedSignOutTests {
    @Test("SO-7 SO-14 without a ticket, an expired access token is renewed once so that the server ends the session")
    func expired() async throws {
        try await World.with { world in
            var network = world.network
            network.hasTickets = false
            let (device, session) = try await world.signedIn("anna", world.device(network))
            world.time.pass(.seconds(7_200))
            #expect(!world.backend.isAccepted(session) && world.backend.isLive(session))
            #expect(try await device.signOut(timeout: .seconds(3_600)).server == .told)
            #expect(!world.backend.isLive(session) && world.backend.renewals == 1 && world.backend.alarms == 0)
            #expect(await device.standing == .signedOut(.byYou) && !world.isThere(world.images))
            #expect(try await world.device(network).launch() == .signedOut(.byYou), "the new tokens are not kept")
        }
    }

    @Test("SO-7 a session that the server has ended already counts as ended, and not as its user's other sessions")
    func over() async throws {
        for (scope, server) in [(SignOutScope.local, SignOutResult.Server.told), (.global, .unconfirmed)] {
            try await World.with { world in
                var network = world.network
                network.hasTickets = false
                let (device, session) = try await world.signedIn("anna", world.device(network))
                world.backend.end(session.id, .elsewhere)
                #expect(try await device.signOut(scope, timeout: .seconds(3_600)).server == server)
                #expect(await device.standing == .signedOut(.byYou))
            }
        }
    }

    @Test("SO-7 an SDK is not asked for new tokens after its user has signed out")
    func kit() async throws {
        try await World.with { world in
            let diary = Diary()
            let provider = CustomProvider(
                "kit",
                renewing: { session, _ async throws(ProviderFailure) in
                    diary.note("renewed")
                    return ProviderAnswer(session)
                },
                signingOut: { _, _ async throws(ProviderFailure) in
                    diary.note("signed out")
                    throw .unauthorised(FarewellError("test.401", .yoursToFix, "401"))
                }, requestingDeletion: { _, _ async throws(ProviderFailure) in throw Network.offline })
            let (device, _) = try await world.signedIn("anna", world.device(provider))
            #expect(try await device.signOut(timeout: .seconds(3_600)).server == .unconfirmed)
            #expect(diary.all == ["signed out"])
        }
    }

    @Test("SO-7 a provider that keeps users signed in keeps none whose session is over: signing out reports no error")
    func keepsNone() async throws {
        for (scope, server) in [(SignOutScope.local, SignOutResult.Server.told), (.global, .unconfirmed)] {
            try await World.with { world in
                var network = world.network
                network.policy = .keepSignedIn
                let (device, session) = try await world.signedIn("anna", world.device(network))
                world.backend.end(session.id, .elsewhere)
                #expect(try await device.signOut(scope).server == server)
                #expect(await device.standing == .signedOut(.elsewhere) && !world.isThere(world.images))
            }
        }
    }

    @Test("SO-7 the same when the answer to the sign-out itself says that the session is over")
    func saysSo() async throws {
        try await World.with { world in
            let provider = CustomProvider(
                "backend", policy: .keepSignedIn,
                renewing: { session, _ async throws(ProviderFailure) in ProviderAnswer(session) },
                signingOut: { _, _ async throws(ProviderFailure) in throw .ended(.accountDeleted) },
                requestingDeletion: { _, _ async throws(ProviderFailure) in throw Network.offline })
            let (device, session) = try await world.signedIn("anna", world.device(provider))
            #expect(await code { _ = try await device.signOut(.others) } == "device.signed-out")
            #expect(await device.standing == .signedIn(session))
            #expect(try await device.signOut().server == .told)
            #expect(await device.standing == .signedOut(.byYou) && !world.isThere(world.images))
        }
    }
}
