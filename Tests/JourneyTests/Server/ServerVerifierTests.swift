// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import FarewellVerifier
import Foundation
import Logging
import NIOHTTP1
import Testing

@Suite("A service that embeds the verifier, and servers that revoke")
struct ServerVerifierTests {
    /// That it comes, however busy the machine is; not how soon.
    @Test("SE-9 an ended session is refused by a verifier in another process, 30 times", arguments: SQLDialect.allCases)
    func refused(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            try await place.serving { revoking in
                let ends: @Sendable (RunningServer) async throws -> Void = { followed in
                    try await endSessions(revoking: revoking, followed: followed)
                }
                // Two servers on one PostgreSQL: one revokes, the verifier follows the other.
                if dialect == .postgresql { try await place.serving(use: ends) } else { try await ends(revoking) }
            }
        }
    }

    private func endSessions(revoking: RunningServer, followed: RunningServer) async throws {
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let keys = try IssuerKeys.published(at: followed.auth + "/.well-known/jwks.json", for: [.es256])
        let service = try VerifierService(
            trusting: [.farewell("http://127.0.0.1:0/auth/v1", keys: keys)],
            following: .init(followed.url + "/v1/revocations", bearer: followed.followerKey()), log: log)
        let mine = try await revoking.person()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            defer { group.cancelAll() }
            let clock = ContinuousClock()
            for _ in 0..<30 {
                let session = try await revoking.signIn(mine.email)
                let verified = try await service.verifier.verify(session.access)
                #expect(verified.sessionID == session.session)
                let out = try await revoking.ask(.POST, "/auth/v1/logout?scope=local", token: session.access)
                #expect(out.status == 204)
                let begin = clock.now
                while await accepts(session.access, service.verifier) {
                    try #require(clock.now - begin < .seconds(120), "a session that was ended is still let in")
                    // The answer's round trip is the pause.
                    _ = try await followed.ask(.GET, "/healthz")
                }
            }
        }
    }

    private func accepts(_ token: String, _ verifier: TokenVerifier) async -> Bool {
        do throws(TokenRefusal) {
            _ = try await verifier.verify(token)
            return true
        } catch {
            #expect(error == .revoked)
            return false
        }
    }
}
