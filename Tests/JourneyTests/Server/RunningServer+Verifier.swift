// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellVerifier
import Foundation
import Logging

/// This process as a third-party service: it knows the server by its address, embeds the verifier and follows the feed.
extension RunningServer {
    /// Runs such a service until `use` ends; before, it has read all that ended so far.
    func verified<Value: Sendable>(_ use: (TokenVerifier) async throws -> Value) async throws -> Value {
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let keys = try IssuerKeys.published(at: auth + "/.well-known/jwks.json", for: [.es256])
        let service = try VerifierService(
            trusting: [.farewell(ServerPlace.issuer, keys: keys)],
            following: .init(url + "/v1/revocations", bearer: followerKey()),
            settings: VerifierSettings(keys: KeySetPolicy(timeout: .seconds(120))), log: log)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            defer { group.cancelAll() }
            try await eventually { service.freshness?.state == .following }
            return try await use(service.verifier)
        }
    }

    /// Waits until a token is refused, for that reason.
    func refusal(of token: String, by verifier: TokenVerifier) async throws -> TokenRefusal? {
        var refusal: TokenRefusal?
        try await eventually {
            do throws(TokenRefusal) { _ = try await verifier.verify(token) } catch { refusal = error }
            return refusal != nil
        }
        return refusal
    }
}
