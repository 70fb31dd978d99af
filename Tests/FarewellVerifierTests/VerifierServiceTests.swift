// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Logging
import ServiceLifecycle
import Testing

@testable import FarewellVerifier

@Suite("A verifier with all its parts")
struct VerifierServiceTests {
    private let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test("without a feed the verifier runs until a stop request, and then opens nothing more", arguments: ["cancelled", "gracefully"])
    func ends(how: String) async throws {
        let key = ForgedKey.es256("k")
        let keys = String(decoding: ForgedKey.set([key.jwk()]), as: UTF8.self)
        try await LocalServer.with({ _ in .text(200, keys) }) { server in
            let issuer = try TrustedIssuer.openID(
                "https://i", keys: .published(at: "http://127.0.0.1:\(server.port)/", for: [.es256]), audiences: ["a"])
            let service = try VerifierService(
                trusting: [issuer], settings: VerifierSettings(keys: KeySetPolicy(timeout: .seconds(120))), log: log)
            let unknown = try Trial(testDescription: "", key: key, claims: ["iss": "https://i"], trust: { _ in issuer })
                .token(["alg": "ES256", "kid": "other"], ["iss": "https://i"])
            let group = ServiceGroup(services: [service], logger: log)
            let running = Task { try await group.run() }
            await #expect(throws: TokenRefusal.key) { try await service.verifier.verify(unknown) }
            #expect(service.freshness == nil)
            if how == "cancelled" { running.cancel() } else { await group.triggerGracefulShutdown() }
            try await running.value
            #expect(server.connections == 1)
        }
    }
}
