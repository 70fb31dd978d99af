// SPDX-License-Identifier: Apache-2.0
import Farewell

/// A pool's requirements for a connection.
protocol PooledConnection: AnyObject, Sendable {
    /// The view that a borrower gets; it stops working when the connection goes back.
    associatedtype Lease: SQLConnection
    /// Whether the connection is known to be alive. Must not wait.
    var isUsable: Bool { get }
    func lend() -> Lease
    /// Lends itself to `body`, which runs where the connection's answers arrive, if there is such a place.
    func host<Value>(_ body: (Lease) async throws -> Value) async throws -> Value
    /// Rolls back an open transaction. Returns whether the connection may be lent again. Ignores cancellation.
    func settle() async -> Bool
    func end()
}

extension PooledConnection {
    func host<Value>(_ body: (Lease) async throws -> Value) async throws -> Value { try await body(lend()) }
}

/// Carries out what `ConnectionPoolMachine` decides, for either database.
final class ConnectionPool<Connection: PooledConnection>: Sendable {
    typealias Machine = ConnectionPoolMachine

    private struct State: Sendable {
        var machine: Machine
        var connections: [Machine.ConnectionID: Connection] = [:]
        var waiting: [Machine.WaiterID: CheckedContinuation<Borrowed, any Error>] = [:]
        var lastWaiter = 0
    }

    struct Borrowed: Sendable {
        let id: Machine.ConnectionID
        let connection: Connection
    }

    private let state: Guarded<State>
    private let limit: Int
    private let wait: Duration
    private let clock: any Clock<Duration>
    private let open: @Sendable () async throws -> Connection

    init(
        limit: Int, wait: Duration, clock: any Clock<Duration> = ContinuousClock(),
        open: @escaping @Sendable () async throws -> Connection
    ) {
        state = Guarded(State(machine: Machine(limit: limit)))
        self.limit = limit
        self.wait = wait
        self.clock = clock
        self.open = open
    }

    func withConnection<Value: Sendable>(
        _ body: (any SQLConnection) async throws -> Value
    ) async throws -> Value {
        try await lend(try await borrow(), to: body)
    }

    /// Lends a connection if one more stays for the next caller and no caller waits.
    ///
    /// - Returns: `nil` if there is none; `body` has not begun then.
    func withSpareConnection<Value: Sendable>(
        _ body: (any SQLConnection) async throws -> Value?
    ) async throws -> Value? {
        let borrowed: Borrowed
        do {
            borrowed = try await borrow { .askedToSpare($0) }
        } catch is NothingToSpare {
            return nil
        }
        return try await lend(borrowed, to: body)
    }

    private struct NothingToSpare: Error {}

    private func lend<Value: Sendable>(
        _ borrowed: Borrowed, to body: (any SQLConnection) async throws -> Value
    ) async throws -> Value {
        do {
            let value = try await borrowed.connection.host(body)
            await giveBack(borrowed)
            return value
        } catch {
            await giveBack(borrowed)
            throw error
        }
    }

    func close() {
        feed(.closed)
    }

    /// How many connections there are, lent or idle. For tests and diagnosis.
    var total: Int { state.withLock { $0.machine.total } }

    /// Whether all connections are lent, so that a caller waits for another one.
    var isFull: Bool { state.withLock { $0.machine.isFull } }

    private func borrow(
        _ asking: @Sendable (Machine.WaiterID) -> Machine.Event = { .asked($0) }
    ) async throws -> Borrowed {
        try Task.checkCancellation()
        if let ready = borrowIdle(asking) { return ready }
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let timer = Task { [wait, clock] in
            try await clock.sleep(for: wait)
            feed(.timedOut(waiter))
            // A connection that is being opened has as much time again.
            try await clock.sleep(for: wait)
            feed(.timedOut(waiter))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                state.withLock { $0.waiting[waiter] = continuation }
                feed(asking(waiter))
                // A cancellation that came before the waiter was known has been missed.
                if Task.isCancelled { feed(.cancelled(waiter)) }
            }
        } onCancel: {
            feed(.cancelled(waiter))
        }
    }

    /// The usual case, without a continuation: an idle live connection, and no waiting caller.
    private func borrowIdle(_ asking: @Sendable (Machine.WaiterID) -> Machine.Event) -> Borrowed? {
        state.withLock { state in
            guard let id = state.machine.idle.last, state.machine.waiters.isEmpty,
                let connection = state.connections[id], connection.isUsable
            else { return nil }
            state.lastWaiter += 1
            guard case .lend? = state.machine.handle(asking(state.lastWaiter)).first else { return nil }
            return Borrowed(id: id, connection: connection)
        }
    }

    private func giveBack(_ borrowed: Borrowed) async {
        let usable = await borrowed.connection.settle()
        feed(.returned(borrowed.id, usable: usable))
    }

    private func feed(_ event: Machine.Event, failure: (any Error)? = nil) {
        var actions = state.withLock { $0.machine.handle(event) }[...]
        while let action = actions.popFirst() {
            actions += carryOut(action, failure: failure)
        }
    }

    private func carryOut(_ action: Machine.Action, failure: (any Error)?) -> [Machine.Action] {
        switch action {
        case .open(let id):
            Task { await openConnection(id) }
        case .lend(let id, let waiter):
            guard let connection = state.withLock({ $0.connections[id] }), connection.isUsable else {
                return state.withLock { $0.machine.handle(.foundBroken(id, waiter)) }
            }
            let continuation = state.withLock { $0.waiting.removeValue(forKey: waiter) }
            continuation?.resume(returning: Borrowed(id: id, connection: connection))
        case .refuse(let waiter, let refusal):
            let continuation = state.withLock { $0.waiting.removeValue(forKey: waiter) }
            continuation?.resume(throwing: error(for: refusal, failure))
        case .end(let id):
            state.withLock { $0.connections.removeValue(forKey: id) }?.end()
        }
        return []
    }

    private func openConnection(_ id: Machine.ConnectionID) async {
        do {
            let connection = try await open()
            state.withLock { $0.connections[id] = connection }
            feed(.opened(id))
        } catch {
            feed(.openFailed(id), failure: error)
        }
    }

    private func error(for refusal: Machine.Refusal, _ failure: (any Error)?) -> any Error {
        switch refusal {
        case .cancelled: CancellationError()
        case .openFailed: failure ?? Self.closed
        case .unspared: NothingToSpare()
        case .closed: Self.closed
        case .exhausted:
            FarewellError(
                "sql.pool-exhausted", .tryAgain,
                "No database connection became free within \(wait); all \(limit) are in use.",
                remedy: "Try again, or allow more connections.")
        case .unopened:
            FarewellError(
                "sql.08001", .tryAgain,
                "The database accepts connections, but none was ready within \(wait * 2).",
                remedy: "Check whether the server or its pooler is overloaded, then try again.")
        }
    }

    private static var closed: FarewellError {
        FarewellError("sql.closed", .ours, "The database was closed before this call.")
    }
}
