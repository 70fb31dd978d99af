// SPDX-License-Identifier: Apache-2.0

import Farewell
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// The routes for operators and their programs, on an address of their own: `/metrics`, the health checks and the
/// description. Any caller who reaches the address may call, by an IP address or an accepted host name.
struct OperationsListener: Service, CustomStringConvertible {
    let server: FarewellServer
    let host: String
    let port: Int
    let connections: HTTPServerBuilder
    let loops: MultiThreadedEventLoopGroup
    /// Called once calls are accepted.
    let isListening: @Sendable () -> Void

    /// How many may be connected at once.
    private static let most = 64

    /// Shows nothing of the server, because a log names each service.
    var description: String { "OperationsListener" }

    /// Serves until the task is cancelled or a graceful shutdown begins.
    ///
    /// - Throws: `serve.…` when it cannot listen.
    func run() async throws {
        let router = Router(context: ServerContext.self)
        router.add(middleware: NotFoundMiddleware(runner: server.operationsRunner))
        server.addOperationRoutes(to: router)
        let isListening = isListening
        let application = Application(
            router: router, server: connections,
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port), serverName: "farewell",
                availableConnectionsDelegate: .maximum(Self.most, logger: server.log)),
            onServerRunning: { _ in isListening() }, eventLoopGroupProvider: .shared(loops), logger: server.log)
        do {
            try await application.run()
        } catch {
            throw ListeningProbe.refusal(error, host, port, setting: ListeningProbe.operationsSetting)
        }
    }
}
