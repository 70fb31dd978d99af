// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("A killed deletion and a server without a clear answer")
struct DeadEndpointTests {
    @Test("C1 SE-2 AD-6 errors of a server keep no user out of the app for more than a few attempts, and a lost network does")
    func letsIn() async throws {
        for (problem, letsIn) in [(ProviderFailure.unavailable(.oddAnswer), true), (Network.offline, false)] {
            try await World.with { world in
                let provider = CustomProvider(
                    "dead", renewing: { session, _ async throws(ProviderFailure) in ProviderAnswer(session) },
                    signingOut: { _, _ async throws(ProviderFailure) in },
                    requestingDeletion: { _, _ async throws(ProviderFailure) in throw problem })
                let parked = Gate()
                let (device, session) = try await world.signedIn(
                    "anna", world.device(provider, observe: parked.stopping(at: .deletion(.intended))))
                let work = Task { try await device.deleteAccount() }
                await parked.pass()
                let next = try world.device(provider, in: world.crashed())
                for _ in 0..<FarewellDevice.mostMisses {
                    guard case .unknown(let error) = await next.launch() else { throw Odd("something is shown") }
                    #expect(error.code == "device.deletion-pending")
                }
                let isIn = await next.launch() == .signedIn(session)
                #expect(isIn == letsIn)
                #expect(world.isThere(world.images) && world.isThere(world.database))
                work.cancel()
            }
        }
    }
}
