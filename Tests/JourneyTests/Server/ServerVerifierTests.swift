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
    @Test("SE-9 an ended session is refused by a verifier in another process within a second, 100 times", arguments: SQLDialect.allCases)
    func latency(_ dialect: SQLDialect) async throws {
        try await ServerPlace.with(dialect) { place in
            try await place.serving { revoking in
                let measured: @Sendable (RunningServer) async throws -> Void = { followed in
                    let times = try await times(revoking: revoking, followed: followed)
                    let worst = times.sorted()[98]  // the 99th of 100
                    #expect(worst <= .seconds(1), "p50 \(times.sorted()[49]), p99 \(worst)")
                }
                // Two servers on one PostgreSQL: one revokes, the verifier follows the other.
                if dialect == .postgresql { try await place.serving(use: measured) } else { try await measured(revoking) }
            }
        }
    }

    /// From each sign-out's answer to the first refusal.
    private func times(revoking: RunningServer, followed: RunningServer) async throws -> [Duration] {
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let keys = try IssuerKeys.published(at: followed.auth + "/.well-known/jwks.json", for: [.es256])
        let service = try VerifierService(
            trusting: [.farewell("http://127.0.0.1:0/auth/v1", keys: keys)],
            following: .init(followed.url + "/v1/revocations", bearer: followed.followerKey()), log: log)
        let mine = try await revoking.person()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            defer { group.cancelAll() }
            var times: [Duration] = []
            let clock = ContinuousClock()
            for _ in 0..<100 {
                let session = try await revoking.signIn(mine.email)
                let verified = try await service.verifier.verify(session.access)
                #expect(verified.sessionID == session.session)
                let out = try await revoking.ask(.POST, "/auth/v1/logout?scope=local", token: session.access)
                #expect(out.status == 204)
                let begin = clock.now
                while clock.now - begin < .seconds(5), await accepts(session.access, service.verifier) { await Task.yield() }
                times.append(clock.now - begin)
            }
            return times
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
