// SPDX-License-Identifier: Apache-2.0

import AsyncAlgorithms
import Farewell
import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// The plan that erasures are carried out by: read again when its file has changed, on SIGHUP, and, while erasures wait
/// for a plan that fits, when the schema has changed; each time it is held against the schema as it is by then.
///
/// What is under way ends by the plan it began with; erasures that were parked because the plan did not fit go on once
/// one fits. The log reports a plan that does not fit, and the plan before stays.
struct ReloadedPlan: Service, CustomStringConvertible {
    private let path: String
    private let connecting: SystemConnecting
    private let engine: ErasureEngine
    private let requests: ErasureRequests
    private let environment: EngineEnvironment
    /// The file's modification time before the first check.
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
            // A correction between the start and now is seen at the first interval.
            var stamp = engine.unfit == nil ? await schemaStamp() : nil
            let sleep = environment.sleep
            let intervals = AsyncStream<Reason>(unfolding: {
                (try? await sleep(Self.interval)).map { Reason.interval }
            })
            let hangups = await UnixSignalsSequence(trapping: .sighup).map { _ in Reason.hangup }
            var seen = written
            // What a worker parks under the old plan while the new one is taken is released at the next interval.
            var isFresh = true
            for await reason in merge(intervals, hangups) {
                let before = (seen, stamp)
                seen = Self.lastWritten(path) ?? seen
                if reason == .interval, before.0 == seen {
                    if isFresh { await goOn() }
                    isFresh = false
                    guard await isWaiting() else { continue }
                    stamp = await schemaStamp() ?? stamp
                    guard before.1 != stamp else { continue }
                }
                stamp = await schemaStamp() ?? stamp
                isFresh = await reload()
            }
        }
    }

    /// The reason to read the plan again.
    private enum Reason: Sendable { case interval, hangup }

    /// Whether erasures wait for a plan that fits: then the schema may be what is corrected.
    private func isWaiting() async -> Bool {
        if engine.unfit != nil { return true }
        return (try? await requests.hasParkedByPlan()) ?? false
    }

    private func schemaStamp() async -> SQLValue? { try? await engine.schemaStamp() }

    /// Takes the plan and the schema as they are now.
    ///
    /// - Returns: Whether the plan fits.
    private func reload() async -> Bool {
        let before = engine.unfit?.error
        do {
            let read = try NamedPlan(at: path, connecting: connecting)
            try await engine.adopt(read.plan, folder: read.folder, connectors: read.connectors)
            environment.log.notice("Plan reloaded")
            await goOn()
            return true
        } catch {
            guard !Task.isCancelled else { return false }
            if let unfit = engine.unfit, (error as? FarewellError) == unfit.error {
                if unfit.error != before { Self.tell(unfit, in: environment.log) }
                return false
            }
            let words = (error as? FarewellError)?.message ?? "It cannot be compared with the database."
            environment.log.error("Plan not reloaded; the old one stays active", metadata: ["why": "\(words)"])
            return false
        }
    }

    /// Reports a plan that does not fit, with its tables and the remedy.
    static func tell(_ unfit: UnfitPlan, in log: Logger) {
        log.error(
            "The plan does not fit the database: erasures wait, everything else works",
            metadata: [
                "why": "\(unfit.error.message)", "places": "\(unfit.places.joined(separator: " "))",
                "remedy": "\(unfit.error.remedy ?? "")",
            ])
    }

    /// Has the erasures go on that waited for a plan that fits.
    private func goOn() async {
        do {
            let count = try await requests.releaseParkedByPlan()
            guard count > 0 else { return }
            environment.log.notice("Parked erasures continue under the current plan", metadata: ["count": "\(count)"])
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
