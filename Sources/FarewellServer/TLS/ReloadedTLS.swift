// SPDX-License-Identifier: Apache-2.0

import AsyncAlgorithms
import Farewell
import Foundation
import Logging
import NIOSSL
import ServiceLifecycle
import UnixSignals

/// The certificate for new connections: replaced when its files change, or on SIGHUP.
///
/// Open connections keep theirs. Unusable files are logged, and the old certificate stays.
final class ReloadedTLS: Service, CustomStringConvertible {
    private let files: TLSFiles
    private let state: Guarded<State>
    private let sleep: @Sendable (Duration) async throws -> Void
    private let log: Logger

    private struct State: Sendable {
        var context: NIOSSLContext
        var stamp: [Date]?
    }

    /// How often the files are looked at.
    private static let interval = Duration.seconds(5)

    /// - Throws: errors of `TLSFiles.context`.
    init(_ files: TLSFiles, log: Logger, sleep: @escaping @Sendable (Duration) async throws -> Void) throws {
        self.files = files
        self.log = log
        self.sleep = sleep
        state = Guarded(State(context: try files.context(), stamp: files.stamp()))
    }

    var description: String { "ReloadedTLS" }
    var context: NIOSSLContext { state.withLock { $0.context } }

    /// Watches the files until the server stops.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            let sleep = self.sleep
            let intervals = AsyncStream<Reason>(unfolding: {
                (try? await sleep(Self.interval)).map { Reason.interval }
            })
            let hangups = await UnixSignalsSequence(trapping: .sighup).map { _ in Reason.hangup }
            for await reason in merge(intervals, hangups) where reason == .hangup || self.haveChanged { self.reload() }
        }
    }

    /// Takes the files as they are now.
    func reload() {
        let stamp = files.stamp()
        do {
            let context = try files.context()
            state.withLock { $0 = State(context: context, stamp: stamp) }
            log.notice("TLS certificate reloaded")
        } catch {
            state.withLock { $0.stamp = stamp }
            let words = (error as? FarewellError)?.message ?? "It cannot be read."
            log.error("TLS certificate not reloaded; the old one stays active", metadata: ["why": "\(words)"])
        }
    }

    /// The reason to read the files again.
    private enum Reason: Sendable { case interval, hangup }

    private var haveChanged: Bool {
        files.stamp().map { stamp in stamp != state.withLock { $0.stamp } } ?? false
    }
}
