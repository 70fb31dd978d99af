// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
public import Foundation

extension ErasureRequests {
    /// The state of an erasure; `nil` if there is none.
    public func erasure(_ id: UUID) async throws -> RequestedErasure? {
        var asked = StatementParts()
        let records = asked.add(control.requests.find(id))
        let steps = asked.add(control.steps.records(of: id))
        let promises = asked.add(control.requests.promises(of: [id]))
        let statements = asked.statements
        let joint = await looks.results(of: statements)
        let results = if let joint { joint } else { try await engine.database.pipeline(statements) }
        guard let record = try records.answer(in: results).first else { return nil }
        let (done, promised) = (try steps.answer(in: results), try promises.answer(in: results))
        return RequestedErasure(status: ErasureStatus(record, steps: done, promised[id]))
    }

    /// The erasure of a ticket; `nil` for an unknown ticket.
    public func erasure(_ ticket: ErasureTicket) async throws -> RequestedErasure? {
        guard let id = try await run(control.requests.erasure(ticketHash: ticket.hash)) else { return nil }
        return try await erasure(id)
    }

    /// Waits until an erasure has come to rest: done, cancelled, or in need of an operator.
    ///
    /// - Returns: Its state then, or when `seconds` have passed.
    public func wait(for id: UUID, atMost seconds: Int) async throws -> RequestedErasure? {
        try await wait(for: id, handed: nil, atMost: .seconds(seconds))
    }

    /// The same for an erasure that a worker of this process may hold: once that worker has finished, it has the state
    /// or the state is read. Otherwise it is read now, when its own end is announced, and once a second.
    package func wait(
        for id: UUID, handed: HandedErasure?, atMost limit: Duration
    ) async throws -> RequestedErasure? {
        let sleep = engine.environment.sleep
        let ends = signals.ends.wakes(about: id)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            let isOver = Guarded(false)
            let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            group.addTask {
                await handed?.ended()
                wake.yield()
                for await _ in ends { wake.yield() }
            }
            group.addTask {
                // Another process may end it and its signal may get lost: look once a second.
                for _ in 0..<limit.components.seconds {
                    guard (try? await sleep(.seconds(1))) != nil else { break }
                    wake.yield()
                }
            }
            group.addTask {
                // One sleep: on a busy machine many short ones take longer together.
                _ = try? await sleep(limit)
                isOver.withLock { $0 = true }
                wake.yield()
            }
            defer { group.cancelAll() }
            for await _ in wakes {
                if let recorded = handed?.recorded { return recorded }
                let isLast = isOver.withLock { $0 }
                let now = try await erasure(id)
                if isLast || now.map({ $0.state.isAtRest }) ?? true { return now }
            }
            return try await erasure(id)
        }
    }
}

extension ErasureState {
    /// Whether nothing more happens without an operator or a user.
    public var isAtRest: Bool { !isLive || self == .needsAttention }
}
