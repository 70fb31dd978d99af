// SPDX-License-Identifier: Apache-2.0

import AsyncAlgorithms
import Farewell
import FarewellErasure
import FarewellKeys
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// The plan that erasures are carried out by: read again when its file has changed, or on SIGHUP, and held against the
/// schema as it is by then.
///
/// What is under way ends by the plan it began with; erasures that were parked because the plan did not fit go on once
/// one fits. A plan that cannot be worked by is told in the log, and the old
/// one stays.
struct ReloadedPlan: Service, CustomStringConvertible {
    private let path: String
    private let connecting: SystemConnecting
    private let engine: ErasureEngine
    private let requests: ErasureRequests
    private let environment: EngineEnvironment
    /// When the file was last written, before anybody looked.
    private let written: Date?

    /// How often the file is looked at.
    private static let interval = Duration.seconds(5)

    init(
        at path: String, connecting: @escaping SystemConnecting, engine: ErasureEngine, requests: ErasureRequests,
        environment: EngineEnvironment
    ) {
        self.path = path
        self.connecting = connecting
        self.engine = engine
        self.requests = requests
        self.environment = environment
        written = Self.lastWritten(path)
    }

    var description: String { "ReloadedPlan" }

    /// Watches the file until the server or worker stops.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            await goOn()
            let sleep = environment.sleep
            let intervals = AsyncStream<Reason>(unfolding: {
                (try? await sleep(Self.interval)).map { Reason.interval }
            })
            let hangups = await UnixSignalsSequence(trapping: .sighup).map { _ in Reason.hangup }
            var seen = written
            for await reason in merge(intervals, hangups) {
                if reason == .interval {
                    guard let now = Self.lastWritten(path), now != seen else { continue }
                    seen = now
                }
                await reload()
            }
        }
    }

    /// Why the plan may have to be read again.
    private enum Reason: Sendable { case interval, hangup }

    /// Takes the plan and the schema as they are now.
    private func reload() async {
        do {
            let read = try NamedPlan(at: path, connecting: connecting)
            try await engine.adopt(read.plan, folder: read.folder, connectors: read.connectors)
            environment.log.notice("Plan reloaded")
            await goOn()
        } catch {
            guard !Task.isCancelled else { return }
            let words = (error as? FarewellError)?.message ?? "It cannot be held against the database."
            environment.log.error("Plan not reloaded, the old one stays", metadata: ["why": "\(words)"])
        }
    }

    /// Has the erasures go on that waited for a plan that fits.
    private func goOn() async {
        do {
            let count = try await requests.releaseParkedByPlan()
            guard count > 0 else { return }
            environment.log.notice("Parked erasures go on under the plan of now", metadata: ["count": "\(count)"])
        } catch {
            guard !Task.isCancelled else { return }
            let words = (error as? FarewellError)?.message ?? "The database does not answer."
            environment.log.error("Parked erasures wait", metadata: ["why": "\(words)"])
        }
    }

    private static func lastWritten(_ path: String) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
    }
}
