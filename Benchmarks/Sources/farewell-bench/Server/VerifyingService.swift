// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellVerifier
import Foundation
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// A service that embeds a `TokenVerifier`: `/plain` answers every caller, `/verified` callers with a valid token.
///
/// Run as `farewell-bench --verifying-service SERVER FOLLOWER-KEY-FILE`, in a process of its own.
enum VerifyingService {
    static let flag = "--verifying-service"

    static func run(server: String, keyFile: String) async throws {
        let log = Logger(label: "farewell-bench") { _ in SwiftLogNoOpLogHandler() }
        let key = try String(contentsOfFile: keyFile, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        let keys = try IssuerKeys.published(at: server + "/auth/v1/.well-known/jwks.json", for: [.es256])
        let service = try VerifierService(
            trusting: [.farewell(SessionFixture.issuer, keys: keys)],
            following: .init(server + "/v1/revocations", bearer: key), log: log)
        let verifier = service.verifier
        let router = Router()
        router.get("/plain") { _, _ in "A user is here." }
        router.get("/verified") { request, _ in
            guard let bearer = request.headers[.authorization]?.dropFirst("Bearer ".count) else {
                throw HTTPError(.unauthorized)
            }
            do throws(TokenRefusal) {
                _ = try await verifier.verify(String(bearer))
            } catch {
                throw HTTPError(error.family == .tryAgain ? .serviceUnavailable : .unauthorized)
            }
            return "A user is here."
        }
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            services: [service],
            onServerRunning: { channel in
                let line = "Listening on http://127.0.0.1:\(channel.localAddress?.port ?? 0)\n"
                FileHandle.standardOutput.write(Data(line.utf8))
            }, logger: log)
        try await application.runService()
    }

    static func start(_ house: SessionFixture, following server: ServerProcess) async throws -> ServerProcess {
        try await ServerProcess(
            "farewell-bench", [flag, server.address, house.state + "/follower.key"],
            log: house.world.folder.appending(path: "verifying.log"))
    }
}
