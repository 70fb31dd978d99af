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
        var isMissing = false
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
        let stamp = files.stamp()
        reportMissing(stamp == nil)
        return stamp.map { stamp in stamp != state.withLock { $0.stamp } } ?? false
    }

    /// Reports once that a file is gone, without which the next start fails.
    private func reportMissing(_ isMissing: Bool) {
        let isNew = state.withLock { state in
            defer { state.isMissing = isMissing }
            return isMissing && !state.isMissing
        }
        guard isNew else { return }
        log.error(
            "A file of the TLS certificate is missing; the old certificate stays active",
            metadata: ["remedy": "Put tls.certificate and tls.key back: the next start needs them."])
    }
}
