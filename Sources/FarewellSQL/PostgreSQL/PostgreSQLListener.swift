// SPDX-License-Identifier: Apache-2.0
import Farewell

extension PostgreSQLDatabase {
    /// The notifications on `channel` (`LISTEN`), on a connection of its own that ends with the stream.
    ///
    /// The first element, and one after every reconnection, has an empty payload and no notification behind it: from
    /// then on nothing is missed, but earlier notifications may have been. So read the tables on every element. No
    /// notification passes a pooler: there such an element comes regularly instead, unless the configuration has a
    /// `listenAddress`. Reconnects with `backoff` while errors are temporary; any other error ends the stream.
    public func notifications(
        on channel: String, backoff: SQLBackoff = .live
    ) -> AsyncThrowingStream<SQLNotification, any Error> {
        var configuration = configuration
        // A pooler before the database says nothing about the way to the address for listening.
        if let listening { configuration.pooled = listening.pooled }
        let listener = PostgreSQLListener(
            channel: channel, address: listening ?? address, watcher: watchers.next(), configuration: configuration,
            backoff: backoff)
        return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1024)) { continuation in
            let task = Task { await listener.run(continuation) }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

/// Listens on one channel until its task is cancelled.
private struct PostgreSQLListener: Sendable {
    typealias Output = AsyncThrowingStream<SQLNotification, any Error>.Continuation

    let channel: String
    let address: PostgreSQLAddress
    let watcher: SocketWatcher
    let configuration: PostgreSQLConfiguration
    let backoff: SQLBackoff

    func run(_ output: Output) async {
        var failures = 0
        while !Task.isCancelled {
            do {
                try await listen(output) { failures = 0 }
            } catch let error as FarewellError where error.family == .tryAgain {
                failures += 1
                guard (try? await backoff.sleep(backoff.delay(afterFailures: failures))) != nil else { break }
            } catch {
                output.finish(throwing: error is CancellationError ? nil : error)
                return
            }
        }
        output.finish()
    }

    /// Ends only with an error: the connection's end or the task's cancellation.
    private func listen(_ output: Output, onListening: () -> Void) async throws {
        let (ends, ended) = AsyncStream.makeStream(of: FarewellError.self)
        let connection = try await PostgreSQLConnection.open(
            address, watcher: watcher, configuration: configuration,
            onNotification: { output.yield(SQLNotification(channel: $0, payload: $1)) },
            onEnd: { ended.yield($0) })
        defer { connection.end() }
        guard connection.hasOwnSession else {
            // The pooler may lend this session to another client next.
            connection.end()
            onListening()
            return try await poll(output)
        }
        try await connection.lend().run("LISTEN \(SQLDialect.postgresql.quoted(channel))")
        onListening()
        output.yield(SQLNotification(channel: channel, payload: ""))
        for await error in ends { throw error }
        throw CancellationError()
    }

    /// Signals a possible change regularly.
    private func poll(_ output: Output) async throws {
        while true {
            try Task.checkCancellation()
            output.yield(SQLNotification(channel: channel, payload: ""))
            try await backoff.sleep(configuration.listenPoll)
        }
    }
}
