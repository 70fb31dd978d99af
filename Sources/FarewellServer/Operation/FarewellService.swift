// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
public import ServiceLifecycle
import UnixSignals

/// A separate Farewell server: listens, serves, and stops cleanly.
public struct FarewellService: Service {
    private let server: FarewellServer
    private let services: [any Service]
    private let isListening: @Sendable (_ port: Int) async -> Void
    private let tls: ReloadedTLS?
    private let readers: StalledReaders

    /// - Parameters:
    ///   - server: The routes that it serves.
    ///   - services: The services that run beside it and stop with it.
    ///   - isListening: Called with the port once calls are accepted.
    /// - Throws: `tls.…` when the certificate cannot be used.
    public init(
        _ server: FarewellServer, services: [any Service] = [],
        isListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) throws {
        self.server = server
        self.services = services
        self.isListening = isListening
        tls = try server.settings.tls.map { try ReloadedTLS($0, log: server.log, sleep: server.world.sleep) }
        readers = StalledReaders(
            limit: .seconds(server.settings.limits.idleTimeout), log: server.log, sleep: server.world.sleep)
    }

    /// Serves until the task is cancelled or a graceful shutdown is requested.
    ///
    /// - Throws: `serve.port-taken`, `serve.no-address` when it cannot listen.
    public func run() async throws {
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: loopCount)
        let ended: Result<Void, any Error>
        do {
            ended = .success(try await application(on: loops).run())
        } catch {
            let settings = server.settings
            ended = .failure(
                ListeningProbe.refusal(error, settings.host, settings.port, setting: ListeningProbe.mainSetting))
        }
        try? await loops.shutdownGracefully()
        try ended.get()
    }

    /// Serves until SIGTERM or SIGINT; calls that have begun may end within the shutdown timeout.
    ///
    /// SIGHUP, which asks a server to read its files again, never ends it.
    public func runUntilSignalled() async throws {
        signal(SIGHUP, SIG_IGN)
        var configuration = ServiceGroupConfiguration(
            services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: server.log)
        configuration.maximumGracefulShutdownDuration = .seconds(server.settings.shutdownTimeout)
        try await ServiceGroup(configuration: configuration).run()
    }

    /// The number of threads that read and write connections: half the number of cores, because Swift's own threads,
    /// one for each core, handle the requests. With TLS it is the number of cores.
    private var loopCount: Int { tls == nil ? max(1, System.coreCount / 2) : System.coreCount }

    private func application(on loops: MultiThreadedEventLoopGroup) -> some ApplicationProtocol {
        let router = Router(context: ServerContext.self)
        router.add(middleware: NotFoundMiddleware(runner: server.runner))
        server.addRoutes(to: router)
        let isListening = isListening
        let (opened, open) = AsyncStream.makeStream(of: Void.self)
        let operations = operations(on: loops) { open.finish() }
        if operations == nil { open.finish() }
        return Application(
            router: router, server: connections(tls),
            configuration: ApplicationConfiguration(
                address: .hostname(server.settings.host, port: server.settings.port), serverName: "farewell",
                backlog: 4_096, availableConnectionsDelegate: .maximum(room, logger: server.log)),
            services: running + (operations.map { [$0] } ?? []),
            onServerRunning: { channel in
                for await _ in opened {}
                await isListening(channel.localAddress?.port ?? 0)
            },
            eventLoopGroupProvider: .shared(loops), logger: server.log)
    }

    /// The operators' routes, on an address of their own; nil if the settings name none.
    private func operations(
        on loops: MultiThreadedEventLoopGroup, isListening: @escaping @Sendable () -> Void
    ) -> OperationsListener? {
        server.settings.operationsPort.map { port in
            OperationsListener(
                server: server, host: server.settings.operationsHost, port: port, connections: connections(nil),
                loops: loops, isListening: isListening)
        }
    }

    /// The services that run beside the calls and stop with them.
    private var running: [any Service] {
        var running = services
        running.append(readers)
        if let tls { running.append(tls) }
        return running
    }

    /// How many callers may be connected at once.
    private var room: Int {
        let wanted = server.settings.limits.connections
        let room = OpenFiles.room(for: wanted)
        if room < wanted {
            server.log.warning(
                "The system allows fewer open files than limits.connections needs.",
                metadata: ["connections": "\(room)"])
        }
        return room
    }

    private func connections(_ tls: ReloadedTLS?) -> HTTPServerBuilder {
        let limits = server.settings.limits
        let (runner, log, makeIdentifier) = (server.runner, server.log, server.world.makeIdentifier)
        let configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                ChunkAggregator(),
                ParserRefusals(isSecure: runner.isSecure, makeIdentifier: makeIdentifier) { id, status, code in
                    runner.toldUnreadable(id, status, code, log)
                }, RequestTurns(),
            ],
            idleTimeout: .seconds(Int64(limits.idleTimeout)),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: limits.parsedHeaderBytes, maxHeaderListSize: limits.parsedHeaderBytes,
                maxHeaderFieldCount: 100))
        let readers = readers
        return HTTPServerBuilder { responder in
            let base = HTTP1Channel(responder: responder, configuration: configuration)
            guard let tls else { return WatchedConnection(base: base, readers: readers) }
            return WatchedConnection(base: TLSConnection(base: base, tls: tls), readers: readers)
        }
    }
}

/// Has an empty description, because a log names each service.
extension FarewellService: CustomStringConvertible {
    public var description: String { "FarewellService" }
}

/// Answers paths that do not exist, and requests that do not name one host, in the shape of every other answer.
struct NotFoundMiddleware: RouterMiddleware {
    let runner: RouteRunner

    func handle(
        _ request: Request, context: ServerContext,
        next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        guard request.head.authority != nil, !request.headers.contains(.secondHost) else {
            return runner.answerNone(request, .host, Arrival(context, context.parameters))
        }
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            return runner.answerNone(request, .path, Arrival(context, context.parameters))
        }
    }
}
