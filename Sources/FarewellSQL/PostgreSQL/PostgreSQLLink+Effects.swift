// SPDX-License-Identifier: Apache-2.0
import CLibPQ
import Farewell

extension PostgreSQLLink {
    enum Effect: Sendable {
        case tell(PostgreSQLOperation.Answer, Result<[ServerResult], any Error>)
        /// `isWriting` has changed.
        case watchWriting
        case askToCancel(operation: Int)
        case notify(channel: String, payload: String)
        /// The connection is beyond use: stop watching the socket, then free it.
        case finish(ServerHandle, FarewellError)
    }

    /// The event that an operation waits for.
    enum Awaited: Equatable, Sendable {
        case nothing
        /// The end of operations before it.
        case turn
        /// The server, which had been heard of so often.
        case answer(heard: Int)
    }

    func takeNotifications() -> [Effect] {
        var effects: [Effect] = []
        while let notification = PQnotifies(server.pointer) {
            let channel = String(cString: notification.pointee.relname)
            let payload = notification.pointee.extra.map { String(cString: $0) } ?? ""
            effects.append(.notify(channel: channel, payload: payload))
            PQfreemem(notification)
        }
        return effects
    }

    static func outcome(_ operation: PostgreSQLOperation) -> [Effect] {
        guard let failure = operation.failure else { return [.tell(operation.answer, .success(operation.results))] }
        let wasCancelled = operation.cancellation != .none && (failure.code == "sql.57014" || failure == abandoned)
        return fail(operation, wasCancelled ? CancellationError() : failure)
    }

    static func fail(_ operation: PostgreSQLOperation, _ error: any Error) -> [Effect] {
        operation.waiting.map { .tell($0, .failure(error)) }
    }
}
