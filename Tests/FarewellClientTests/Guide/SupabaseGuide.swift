// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation

/// The code of docs/adopting/supabase-swift.md, compiled.
struct SupabaseGuide {
    let projectURL = URL(filePath: "/")
    let anonKey = "key"
    let container = "/container"
    let cachePath = "/cache"
    let databasePath = "/database"

    func signIn(_ device: FarewellDevice, _ provider: FarewellProvider, email: String, password: Token) async throws {
        try await device.signIn { () async throws(ProviderFailure) in
            try await provider.signIn(email: email, password: password)
        }
    }

    func farewellHolds() async throws {
        let device = try FarewellDevice(
            FarewellProvider(projectURL, apiKey: anonKey), in: StateFolder(container + "/account"),
            participants: [FolderParticipant("images", at: cachePath), DatabaseParticipant("library", at: databasePath)])
        await device.launch()

        let supabase = SupabaseClient(
            supabaseURL: projectURL, supabaseKey: anonKey,
            options: .init(auth: .init(accessToken: { try await device.session.accessToken.reveal { $0 } })))
        _ = supabase
    }

    #if canImport(Darwin)
    func outbox() {
        _ = FarewellProvider(projectURL, apiKey: anonKey, outbox: HandedOverTransport.background("org.example.app.outbox"))
    }
    #endif

    func supabaseHolds(_ supabase: SupabaseClient) -> CustomProvider {
        let provider = CustomProvider(
            "supabase",
            renewing: { session, _ throws(ProviderFailure) in try await renew(session, by: supabase.auth) },
            signingOut: { _, scope throws(ProviderFailure) in try await signOut(scope, by: supabase.auth) },
            requestingDeletion: { session, intent throws(ProviderFailure) in try await callDeleteAccount(session, intent) })
        return provider
    }

    func moved(
        _ device: FarewellDevice, _ supabase: SupabaseClient, _ storage: any AuthLocalStorage, _ storageKey: String
    ) async throws {
        if case .signedOut(nil) = await device.launch(), let old = supabase.auth.currentSession {
            try await device.signIn { () async throws(ProviderFailure) in ProviderAnswer(deviceSession(of: old)) }
            try? storage.remove(key: storageKey)
        }
    }

    func formerSession(_ storage: any AuthLocalStorage, _ storageKey: String) -> MemoryParticipant {
        MemoryParticipant("session of supabase-swift", holds: "tokens") {
            try? storage.remove(key: storageKey)
        } count: {
            (try? storage.retrieve(key: storageKey)) == nil ? 0 : 1
        }
    }

    // MARK: The reader's own code

    @Sendable private func renew(
        _ session: DeviceSession, by auth: SupabaseClient.Auth
    ) async throws(ProviderFailure) -> ProviderAnswer<DeviceSession> { ProviderAnswer(session) }

    @Sendable private func signOut(_ scope: SignOutScope, by auth: SupabaseClient.Auth) async throws(ProviderFailure) {}

    @Sendable private func callDeleteAccount(
        _ session: DeviceSession, _ intent: DeletionIntent
    ) async throws(ProviderFailure) -> DeletionAnswer { .unknown }

    @Sendable private func deviceSession(of old: SupabaseClient.Session) -> DeviceSession {
        DeviceSession(
            id: old.user, user: DeviceUser(id: old.user), accessToken: Token(old.accessToken),
            refreshToken: Token(old.refreshToken), expiresAt: Date(timeIntervalSince1970: old.expiresAt), lifetime: 3_600)
    }
}

// MARK: Third-party interfaces, as far as the guide uses them

/// Where supabase-swift keeps its session. It throws if there is none.
protocol AuthLocalStorage: Sendable {
    func store(key: String, value: Data) throws
    func retrieve(key: String) throws -> Data?
    func remove(key: String) throws
}

/// The shape of supabase-swift's client.
struct SupabaseClient: Sendable {
    var auth = Auth()

    init(supabaseURL: URL, supabaseKey: String, options: Options) {}

    struct Options: Sendable {
        let auth: AuthOptions
    }

    struct AuthOptions: Sendable {
        let accessToken: @Sendable () async throws -> String?
    }

    struct Auth: Sendable {
        var currentSession: Session?
    }

    struct Session: Sendable {
        let user, accessToken, refreshToken: String
        let expiresAt: TimeInterval
    }
}
