// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
public import Foundation

extension ErasureRequests {
    /// The state of an erasure; `nil` if there is none.
    public func erasure(_ id: UUID) async throws -> RequestedErasure? {
        guard let status = try await engine.status(of: id) else { return nil }
        return RequestedErasure(status, try await run(control.requests.promises(of: [id]))[id])
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
        let sleep = engine.environment.sleep
        let ends = signals.ends.wakes
        return try await withThrowingTaskGroup(of: Void.self) { group in
            let isOver = Guarded(false)
            let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            group.addTask {
                for await _ in ends { wake.yield() }
            }
            group.addTask {
                // Another process may end it and its word may get lost: look once a second.
                for _ in 0..<seconds {
                    guard (try? await sleep(.seconds(1))) != nil else { break }
                    wake.yield()
                }
                isOver.withLock { $0 = true }
                wake.yield()
            }
            defer { group.cancelAll() }
            wake.yield()
            for await _ in wakes {
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
