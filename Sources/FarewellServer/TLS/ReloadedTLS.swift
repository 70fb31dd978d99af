// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Logging
import NIOSSL
import ServiceLifecycle
import UnixSignals

/// The certificate new connections are greeted with: exchanged when its files change, or on SIGHUP.
///
/// Connections that stand keep theirs. Files that cannot be used are told in the log, and the old certificate stays.
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

    /// - Throws: what `TLSFiles.context` throws.
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
            await withTaskGroup { group in
                group.addTask { await self.watchFiles() }
                group.addTask { await self.watchSignals() }
            }
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
            log.error("TLS certificate not reloaded, the old one stays", metadata: ["why": "\(words)"])
        }
    }

    private func watchFiles() async {
        while (try? await sleep(Self.interval)) != nil {
            guard let stamp = files.stamp(), stamp != state.withLock({ $0.stamp }) else { continue }
            reload()
        }
    }

    private func watchSignals() async {
        for await _ in await UnixSignalsSequence(trapping: .sighup) { reload() }
    }
}
