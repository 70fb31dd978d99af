// SPDX-License-Identifier: Apache-2.0
import DequeModule

/// Decides who gets which connection, when to open one and when to end one. Pure: events in, actions out.
///
/// Connections and waiters are numbers here; `ConnectionPool` carries the actions out. Waiters are served
/// in the order they came. The oldest idle connection is lent first: after a burst a few serve all callers again, and
/// only these keep statements planned.
struct ConnectionPoolMachine: Sendable {
    typealias ConnectionID = Int
    typealias WaiterID = Int

    enum Event: Sendable, Equatable {
        case asked(WaiterID)
        /// By a caller that can do without, and does not wait for others.
        case askedToSpare(WaiterID)
        case opened(ConnectionID)
        case openFailed(ConnectionID)
        /// A connection that was to be lent turned out to be broken.
        case foundBroken(ConnectionID, WaiterID)
        case returned(ConnectionID, usable: Bool)
        case cancelled(WaiterID)
        case timedOut(WaiterID)
        case closed
    }

    enum Action: Sendable, Equatable {
        case open(ConnectionID)
        case lend(ConnectionID, to: WaiterID)
        case refuse(WaiterID, Refusal)
        case end(ConnectionID)
    }

    enum Refusal: Sendable, Equatable {
        case closed, cancelled, openFailed
        /// Nothing can be spared.
        case unspared
        /// All connections are lent.
        case exhausted
        /// The connection that was being opened was not there in time.
        case unopened
    }

    let limit: Int
    /// The oldest comes last.
    private(set) var idle: [ConnectionID] = []
    private(set) var opening: Set<ConnectionID> = []
    private(set) var lent: Set<ConnectionID> = []
    private(set) var waiters: Deque<WaiterID> = []
    /// Waiters whose time has run out once, while a connection was being opened for them.
    private var overdue: Set<WaiterID> = []
    private(set) var isClosed = false
    private var lastConnection = 0

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Every connection there is or is about to be; never above `limit`.
    var total: Int { idle.count + opening.count + lent.count }

    /// Whether all connections are lent.
    var isFull: Bool { lent.count >= limit }

    /// Whether one more connection can be lent while another stays for the next caller.
    var canSpare: Bool { !isClosed && waiters.isEmpty && lent.count + opening.count + 2 <= limit }

    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .asked(let waiter):
            if isClosed { return [.refuse(waiter, .closed)] }
            waiters.append(waiter)
            return serve()
        case .askedToSpare(let waiter):
            // Decided here, where the connection is also taken: several callers at once do not count on the same one.
            return canSpare ? handle(.asked(waiter)) : [.refuse(waiter, .unspared)]
        case .opened(let connection):
            opening.remove(connection)
            return takeIn(connection)
        case .openFailed(let connection):
            opening.remove(connection)
            return refuseFirst(.openFailed) + serve()
        case .foundBroken(let connection, let waiter):
            lent.remove(connection)
            if isClosed { return [.end(connection), .refuse(waiter, .closed)] }
            waiters.prepend(waiter)
            return [.end(connection)] + serve()
        case .returned(let connection, let usable):
            guard lent.remove(connection) != nil else { return [] }
            return usable ? takeIn(connection) : [.end(connection)] + serve()
        case .cancelled(let waiter):
            return remove(waiter, .cancelled)
        case .timedOut(let waiter):
            guard let index = waiters.firstIndex(of: waiter) else { return [] }
            guard index < opening.count else { return remove(waiter, .exhausted) }
            // The first time a connection is being opened for it; the second time that does not end either.
            return overdue.insert(waiter).inserted ? [] : remove(waiter, .unopened)
        case .closed:
            isClosed = true
            let actions = waiters.map { Action.refuse($0, .closed) } + idle.map { Action.end($0) }
            waiters = []
            overdue = []
            idle = []
            return actions
        }
    }

    private mutating func takeIn(_ connection: ConnectionID) -> [Action] {
        if isClosed { return [.end(connection)] }
        idle.insert(connection, at: idle.firstIndex { $0 < connection } ?? idle.endIndex)
        return serve()
    }

    /// Lends what is idle, then opens as many as there are waiters without a connection on its way.
    private mutating func serve() -> [Action] {
        var actions: [Action] = []
        while !waiters.isEmpty, let connection = idle.popLast() {
            lent.insert(connection)
            let waiter = waiters.removeFirst()
            overdue.remove(waiter)
            actions.append(.lend(connection, to: waiter))
        }
        while opening.count < waiters.count, total < limit, !isClosed {
            lastConnection += 1
            opening.insert(lastConnection)
            actions.append(.open(lastConnection))
        }
        return actions
    }

    private mutating func refuseFirst(_ refusal: Refusal) -> [Action] {
        guard let first = waiters.popFirst() else { return [] }
        overdue.remove(first)
        return [.refuse(first, refusal)]
    }

    private mutating func remove(_ waiter: WaiterID, _ refusal: Refusal) -> [Action] {
        guard let index = waiters.firstIndex(of: waiter) else { return [] }
        waiters.remove(at: index)
        overdue.remove(waiter)
        return [.refuse(waiter, refusal)]
    }
}
