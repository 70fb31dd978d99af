// SPDX-License-Identifier: Apache-2.0
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

    /// What an operation waits for.
    enum Awaited: Equatable, Sendable {
        case nothing
        /// The end of operations before it.
        case turn
        /// The server, which had been heard of so often.
        case answer(heard: Int)
    }
}
