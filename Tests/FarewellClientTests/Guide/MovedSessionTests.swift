// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@testable import FarewellClient

@Suite("A session of supabase-swift that moves to Farewell by the guide")
struct MovedSessionTests {
    /// Keeps one value, and throws like supabase-swift's own storage if there is none.
    private final class Storage: AuthLocalStorage {
        let value = Guarded<Data?>(Data("tokens".utf8))
        func store(key: String, value: Data) { self.value.withLock { $0 = value } }
        func retrieve(key: String) throws -> Data? {
            guard let data = value.withLock({ $0 }) else { throw Odd("no item") }
            return data
        }
        func remove(key: String) throws {
            _ = try retrieve(key: key)
            value.withLock { $0 = nil }
        }
    }

    @Test("SO-9 SO-14 the moved session is in one place, and no launch after a sign-out or a deletion brings it back")
    func moves() async throws {
        for deletes in [false, true] {
            try await World.with { world in
                let (guide, storage) = (SupabaseGuide(), Storage())
                let old = world.backend.signIn("anna").value
                var supabase = SupabaseClient(
                    supabaseURL: guide.projectURL, supabaseKey: "", options: .init(auth: .init(accessToken: { nil })))
                supabase.auth.currentSession = SupabaseClient.Session(
                    user: "anna", accessToken: old.accessToken.reveal { $0 }, refreshToken: old.refreshToken.reveal { $0 },
                    expiresAt: old.expiresAt.timeIntervalSince1970)
                let participants: [any Participant] = [guide.formerSession(storage, "key")]
                let device = try world.device(participants: participants)
                try await guide.moved(device, supabase, storage, "key")
                #expect(await device.standing.session?.user.id == "anna" && storage.value.withLock { $0 } == nil)

                // The app was closed before the copy was removed.
                storage.store(key: "key", value: Data("tokens".utf8))
                if deletes { _ = try await device.deleteAccount() } else { _ = try await device.signOut(timeout: .zero) }
                #expect(storage.value.withLock { $0 } == nil)
                supabase.auth.currentSession = nil
                let next = try world.device(participants: participants)
                try await guide.moved(next, supabase, storage, "key")
                #expect(await next.standing.session == nil)
            }
        }
    }

    @Test("SO-14 a launch after a sign-out leaves a copy that could not be removed alone")
    func staysOut() async throws {
        try await World.with { world in
            let (guide, storage) = (SupabaseGuide(), Storage())
            let (device, old) = try await world.signedIn()
            _ = try await device.signOut(timeout: .zero)
            var supabase = SupabaseClient(
                supabaseURL: guide.projectURL, supabaseKey: "", options: .init(auth: .init(accessToken: { nil })))
            supabase.auth.currentSession = SupabaseClient.Session(
                user: "anna", accessToken: old.accessToken.reveal { $0 }, refreshToken: old.refreshToken.reveal { $0 },
                expiresAt: old.expiresAt.timeIntervalSince1970)
            let next = try world.device()
            try await guide.moved(next, supabase, storage, "key")
            #expect(await next.standing == .signedOut(.byYou))
        }
    }
}
