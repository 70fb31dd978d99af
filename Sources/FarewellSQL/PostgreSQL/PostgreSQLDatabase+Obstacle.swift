// SPDX-License-Identifier: Apache-2.0

import Farewell

extension PostgreSQLDatabase {
    /// Why the server takes no writes; nil if nothing prevents one. A server from which nothing is heard any more, on
    /// any connection, is an obstacle; a busy one is waited for. So are connections that are all in use, as long as
    /// something arrives on one of them.
    func obstacle(_ silence: ServerSilence = ServerSilence()) async throws -> FarewellError? {
        let asked = Guarded<PostgreSQLConnection?>(nil)
        return try await withThrowingTaskGroup(of: Found.self) { group in
            group.addTask { .answer(try await self.answeredObstacle(asked)) }
            group.addTask { [hearing, pool] in
                .silence(
                    try await silence.found(by: hearing) {
                        guard let connection = asked.withLock({ $0 }) else {
                            return (pool.isFull ? .turn : .connection, false)
                        }
                        return (.answer, connection.hasUnread)
                    })
            }
            defer { group.cancelAll() }
            switch try await group.next() {
            case .answer(let obstacle): return obstacle
            case .silence(.turn): return WriteObstacle.allInUse
            case .silence, nil:
                // Under the lock, the connection is not back in the pool yet.
                asked.withLock { connection in
                    guard let connection else { return }
                    connection.endAsSilent()
                }
                return hearing.isPooled ? WriteObstacle.silentPooler : WriteObstacle.silent
            }
        }
    }

    private enum Found: Sendable {
        case answer(FarewellError?)
        case silence(ServerSilence.Awaited)
    }

    /// - Parameter asked: Holds the connection while it is asked.
    private func answeredObstacle(_ asked: Guarded<PostgreSQLConnection?>) async throws -> FarewellError? {
        let found = try await withConnection { connection in
            let lease = connection as? PostgreSQLConnection.Lease
            asked.withLock { $0 = lease?.connection }
            if let lease { hearing.notePooler(!lease.hasOwnSession) }
            defer { asked.withLock { $0 = nil } }
            let row = try await connection.run(
                "SELECT pg_catalog.pg_is_in_recovery(), current_setting('transaction_read_only') = 'on'"
            ).rows.first
            let found = WriteObstacle.of(
                inRecovery: row?.first == .bool(true), isReadOnly: row?.last == .bool(true))
            // The session keeps its settings, and its server may have stepped down: the next look takes a fresh one.
            if found != nil { lease?.retire() }
            return found
        }
        return found ?? refusedWrites.recent()
    }
}
