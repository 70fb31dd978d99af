// SPDX-License-Identifier: Apache-2.0
import CLibPQ
import Farewell
import Foundation

/// One connection to PostgreSQL. Statements are sent on the caller's thread; answers are received on the watcher's
/// thread, on which the borrower of the connection runs as well.
final class PostgreSQLConnection: PooledConnection {
    typealias NotificationHandler = @Sendable (_ channel: String, _ payload: String) -> Void

    private let link: Guarded<PostgreSQLLink>
    private let lastOperation = Guarded(0)
    private let watcher: SocketWatcher
    private let socket: WatchedSocket
    private let cancelKey: CancelKey?
    private let configuration: PostgreSQLConfiguration
    private let process: Int64
    private let onNotification: NotificationHandler?
    private let onEnd: (@Sendable (FarewellError) -> Void)?

    init(
        server: ServerHandle, watcher: SocketWatcher, hearing: ServerHearing? = nil,
        configuration: PostgreSQLConfiguration, onNotification: NotificationHandler? = nil,
        onEnd: (@Sendable (FarewellError) -> Void)? = nil
    ) {
        self.watcher = watcher
        self.onNotification = onNotification
        self.onEnd = onEnd
        socket = watcher.named(server.socket)
        cancelKey = CancelKey(server)
        self.configuration = configuration
        process = Int64(PQbackendPID(server.pointer))
        link = Guarded(PostgreSQLLink(server: server, preparedStatements: configuration.preparedStatements))
        let isWatched = watcher.watch(socket) { [weak self] isReadable, isWritable in
            guard let self else { return }
            if isReadable { hearing?.noteAnswer() }
            carryOut(link.withLock { $0.socketIsReady(isReadable: isReadable, isWritable: isWritable) })
        }
        if !isWatched { carryOut(link.withLock { $0.lose(PostgreSQLLink.unwatched) }) }
    }

    deinit { end() }

    static func open(
        _ address: PostgreSQLAddress, watcher: SocketWatcher, hearing: ServerHearing? = nil,
        configuration: PostgreSQLConfiguration, onNotification: NotificationHandler? = nil,
        onEnd: (@Sendable (FarewellError) -> Void)? = nil
    ) async throws -> PostgreSQLConnection {
        let server = try await BlockingWork.run { try address.connect(configuration, hearing: hearing) }
        let connection = PostgreSQLConnection(
            server: server, watcher: watcher, hearing: hearing, configuration: configuration,
            onNotification: onNotification, onEnd: onEnd)
        try await connection.restoreSettings()
        try await connection.host { try await CitusSession.requireCoordinator(on: $0) }
        return connection
    }

    struct Lease: TextReading {
        let connection: PostgreSQLConnection
        let number: Int
        var dialect: SQLDialect { .postgresql }

        var hasOwnSession: Bool { connection.hasOwnSession }

        /// Has the connection closed when it is given back, as after a refused write.
        func retire() { connection.link.withLock { $0.hasRefusedWrites = true } }

        func run(_ statement: SQLStatement) async throws -> SQLResult {
            let results = try await connection.perform([PostgreSQLParameters(statement)], lease: number)
            return results.first.map(PostgreSQLRows.read) ?? SQLResult()
        }

        func texts(_ statement: SQLStatement, meanwhile work: () throws -> Void) async throws -> TextRows {
            let parameters = [try PostgreSQLParameters(statement)]
            return TextRows(try await connection.perform(parameters, lease: number, meanwhile: work).first)
        }

        func pipeline(_ statements: [SQLStatement]) async throws -> [SQLResult] {
            guard !statements.isEmpty else { return [] }
            let parameters = try statements.map { try PostgreSQLParameters($0) }
            return try await connection.perform(parameters, lease: number).map(PostgreSQLRows.read)
        }

        func pipeline<Value: Sendable>(
            _ first: [SQLStatement], then rest: [SQLStatement], meanwhile work: ([SQLResult]) async throws -> Value
        ) async throws -> (value: Value, results: [SQLResult]) {
            guard !first.isEmpty else { return (try await work([]), try await pipeline(rest)) }
            let parameters = try (first + rest).map { try PostgreSQLParameters($0) }
            let (value, results) = try await connection.perform(parameters, lease: number, first: first.count) {
                try await work($0.map(PostgreSQLRows.read))
            }
            return (value, results.dropFirst(first.count).map(PostgreSQLRows.read))
        }

        func finish(_ statements: [SQLStatement], meanwhile work: () throws -> Void) async throws -> [SQLResult] {
            try await connection.performShielded(statements, lease: number, meanwhile: work).map(PostgreSQLRows.read)
        }
    }

    func lend() -> Lease {
        Lease(connection: self, number: link.withLock { $0.changeLease() })
    }

    /// Reads unrequested input, such as the server's last message, so that a dead connection is detected.
    var isUsable: Bool {
        let (isUsable, effects) = link.withLock { link in
            let effects = link.socketIsReady(isReadable: true, isWritable: false)
            return (link.lost == nil, effects)
        }
        carryOut(effects)
        return isUsable
    }

    func host<Value>(_ body: (Lease) async throws -> Value) async throws -> Value {
        let lease = lend()
        return try await watcher.hosting { try await body(lease) }
    }

    func settle() async -> Bool {
        let (isOpen, needsSettings) = link.withLock { link in
            _ = link.changeLease()
            return (link.transactionIsOpen || !link.isIdle, link.hasForgottenSettings)
        }
        do {
            if isOpen { _ = try await performShielded([SQLStatement("ROLLBACK")]) }
            if needsSettings { try await restoreSettings() }
        } catch {
            return false
        }
        return link.withLock { $0.lost == nil && !$0.transactionIsOpen && !$0.hasRefusedWrites }
    }

    /// Whether something has arrived from the server that nothing has read yet.
    var hasUnread: Bool { link.withLock { $0.lost == nil && $0.server.hasUnread } }

    /// Gives up a connection whose server is silent: its statement fails at once.
    func endAsSilent() { carryOut(link.withLock { $0.lose(PostgreSQLLink.silent) }) }

    func end() {
        carryOut(link.withLock { $0.lose(PostgreSQLLink.closed) })
    }

    /// Whether the server's session is this connection's alone.
    var hasOwnSession: Bool {
        link.withLock { if case .own = $0.session { true } else { false } }
    }

    /// Determines the owner of the session, and configures a session of its own.
    private func restoreSettings() async throws {
        var isOwn = false
        if configuration.pooled != true {
            do {
                let results = try await performShielded([configuration.sessionSettings(process: process)])
                isOwn = results.first.map(PostgreSQLRows.read)?.scalar == .bool(true)
            } catch let error as FarewellError where error.code == "sql.42501" {
                throw PostgreSQLLink.replicaRole
            }
        }
        let session = isOwn ? .own : SessionOwnership.shared(settings: try .init(configuration.transactionSettings))
        link.withLock { $0.begin(session) }
    }

    /// Completed even if the task is cancelled, but not awaited if the server is silent. Housekeeping holds no lease.
    private func performShielded(
        _ statements: [SQLStatement], lease: Int? = nil, meanwhile work: () throws -> Void = {}
    ) async throws -> [ServerResult] {
        let parameters = try statements.map { try PostgreSQLParameters($0) }
        let id = nextID()
        var worked = Result<Void, any Error>.success(())
        let results = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                submit(.init(id: id, statements: parameters, lease: lease) { continuation.resume(with: $0) })
                worked = Result { try work() }
                if Task.isCancelled { watchForSilence(id) }
            }
        } onCancel: {
            watchForSilence(id)
        }
        try worked.get()
        return results
    }

    /// - Parameter work: Runs while the server does. If it throws, this function throws once the server has answered.
    private func perform(
        _ statements: [PostgreSQLParameters], lease: Int, meanwhile work: () throws -> Void = {}
    ) async throws -> [ServerResult] {
        try Task.checkCancellation()
        let id = nextID()
        var worked = Result<Void, any Error>.success(())
        let results = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                submit(.init(id: id, statements: statements, lease: lease) { continuation.resume(with: $0) })
                // A cancellation that came before the operation was known has been missed.
                if Task.isCancelled { cancel(id) }
                worked = Result { try work() }
            }
        } onCancel: {
            cancel(id)
        }
        try worked.get()
        return results
    }

    /// Passes the results of the first statements on while those of the others are still pending.
    private func perform<Value>(
        _ statements: [PostgreSQLParameters], lease: Int, first: Int,
        meanwhile work: ([ServerResult]) async throws -> Value
    ) async throws -> (Value, [ServerResult]) {
        try Task.checkCancellation()
        let id = nextID()
        let all = LateAnswer<[ServerResult]>()
        return try await withTaskCancellationHandler {
            let early = try await withCheckedThrowingContinuation { continuation in
                let milestone = PostgreSQLOperation.Milestone(statements: first) { continuation.resume(with: $0) }
                submit(
                    .init(id: id, statements: statements, lease: lease, milestone: milestone) { all.come($0) })
                if Task.isCancelled { cancel(id) }
            }
            let worked: Result<Value, any Error>
            do { worked = .success(try await work(early)) } catch { worked = .failure(error) }
            // However the work ended, the connection is free only now.
            let results = try await all.value()
            return (try worked.get(), results)
        } onCancel: {
            cancel(id)
        }
    }

    private func nextID() -> Int {
        lastOperation.withLock { last in
            last += 1
            return last
        }
    }

    private func submit(_ operation: PostgreSQLOperation) {
        carryOut(link.withLock { $0.submit(operation) })
    }

    private func cancel(_ id: Int) {
        carryOut(link.withLock { $0.cancel(id) })
        watchForSilence(id)
    }

    private func carryOut(_ effects: [PostgreSQLLink.Effect]) {
        for effect in effects {
            switch effect {
            case .tell(let answer, let result): answer(result)
            case .watchWriting:
                // The present state: effects of two threads may be performed in another order than they arose.
                carryOut(
                    link.withLock { link in
                        let isWatched = link.lost != nil || watcher.setWriting(socket, link.isWriting)
                        return isWatched ? [] : link.lose(PostgreSQLLink.unwatched)
                    })
            case .notify(let channel, let payload): onNotification?(channel, payload)
            case .askToCancel(let id): askToCancel(id)
            case .finish(let server, let reason):
                watcher.unwatch(socket)
                PQfinish(server.pointer)
                onEnd?(reason)
            }
        }
    }

    private func askToCancel(_ id: Int) {
        BlockingWork.start { [cancelKey, weak self] in
            var requests = 0
            repeat {
                cancelKey?.cancel()
                guard let self else { return }
                carryOut(link.withLock { $0.cancelRequestEnded(id) })
                // The server does not report whether the request came too early. This thread may wait.
                requests += 1
                _ = poll(nil, 0, Int32(Self.cancelling.delay(afterFailures: requests) / .milliseconds(1)))
            } while self?.link.withLock { $0.asksAgain(id) } == true
        }
    }
}

extension PostgreSQLConnection {
    /// Requests to cancel an operation that still runs: from 20 milliseconds to a second.
    private static let cancelling = RetryPolicy(first: .milliseconds(20), longest: .seconds(1))
    /// Milliseconds for which a server may be silent about an operation whose caller has gone.
    private static let mostSilence: Int32 = 5_000
    private static let look: Int32 = 50

    /// Gives the connection up if a cancelled operation keeps it and the server stays silent.
    ///
    /// On a thread of its own, which may block: the request to cancel takes the same route to the server, and may hang
    /// as well. It counts checks instead of reading a clock, so that a process that was stopped reads the answer first.
    private func watchForSilence(_ id: Int) {
        guard link.withLock({ $0.awaited(by: id) }) != .nothing else { return }
        BlockingWork.start { [weak self] in
            var last = PostgreSQLLink.Awaited.turn
            var silence: Int32 = 0
            while let awaited = self?.link.withLock({ $0.awaited(by: id) }), awaited != .nothing {
                silence = awaited == last && awaited != .turn ? silence + Self.look : 0
                last = awaited
                if silence >= Self.mostSilence {
                    self?.giveUp(id, awaited)
                    return
                }
                _ = poll(nil, 0, Self.look)
            }
        }
    }

    private func giveUp(_ id: Int, _ awaited: PostgreSQLLink.Awaited) {
        carryOut(link.withLock { $0.giveUp(id, awaited) })
    }
}
