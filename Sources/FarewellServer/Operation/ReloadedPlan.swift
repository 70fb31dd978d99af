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

/// The plan by which erasures are carried out. It is read again when its file has changed and on SIGHUP. Each time, and
/// whenever the schema or a vendor's list of buckets has changed, it is compared with the database.
///
/// A plan that was made without a file is only compared with the database.
///
/// A running erasure ends by the plan it began with; erasures parked because the plan did not fit continue once
/// one fits. The log reports a plan that does not fit, and the plan before stays. It also reports that erasures wait
/// because another process has a later or an earlier plan.
struct ReloadedPlan: Service, CustomStringConvertible {
    /// The plan's file; nil if the plan was made.
    private let path: String?
    private let connecting: SystemConnecting
    private let engine: ErasureEngine
    private let requests: ErasureRequests
    private let environment: EngineEnvironment
    /// The file's modification time before the first check.
    private let written: Date?

    /// How often the file is looked at.
    private static let interval = Duration.seconds(5)

    init(
        at path: String?, connecting: @escaping SystemConnecting, engine: ErasureEngine, requests: ErasureRequests,
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
            await lookAtStanding()
            await releaseParked()
            // A change between the start and now is seen at the first interval.
            var fingerprint = engine.plannedFingerprint
            let sleep = environment.sleep
            let intervals = AsyncStream<Reason>(unfolding: {
                (try? await sleep(Self.interval)).map { Reason.interval }
            })
            let hangups = await UnixSignalsSequence(trapping: .sighup).map { _ in Reason.hangup }
            var seen = written
            var isMissing = false
            // A request may have found meanwhile that the plan does not fit; the log has not reported it then.
            var told = engine.unfit?.error
            // Erasures that a worker parks under the old plan during the change are released at the next interval.
            var isFresh = true
            for await reason in merge(intervals, hangups) {
                if await lookAtStanding() { isFresh = true }
                let before = (seen, fingerprint)
                isMissing = reportMissing(before: isMissing)
                seen = Self.lastWritten(path) ?? seen
                if reason == .interval, before.0 == seen {
                    if isFresh { isFresh = await releaseParked() == .again }
                    fingerprint = await databaseFingerprint() ?? fingerprint
                    guard before.1 != fingerprint else { continue }
                    if let fits = await look(since: told) { isFresh = fits } else { fingerprint = before.1 }
                    told = engine.unfit?.error
                    continue
                }
                fingerprint = await databaseFingerprint() ?? fingerprint
                // Without an answer of the database the file counts as changed still.
                if let fits = await reload(since: told) { isFresh = fits } else { (seen, fingerprint) = before }
                told = engine.unfit?.error
            }
        }
    }

    /// The reason to read the plan again.
    private enum Reason: Sendable { case interval, hangup }

    private func databaseFingerprint() async -> DatabaseFingerprint? { try? await engine.databaseFingerprint() }

    /// After a change of the database: compares the plan in force with it. If that no longer fits, the file may have
    /// one that was refused before.
    ///
    /// - Parameter before: Why the plan did not fit, as the log last reported it.
    /// - Returns: Whether a plan fits; `nil` if the database did not say.
    private func look(since before: FarewellError?) async -> Bool? {
        do {
            if try await engine.refit() {
                if before != nil { environment.log.notice("The plan fits the database again") }
                await releaseParked()
                return true
            }
            if let path, let read = try? NamedPlan(at: path, connecting: connecting),
                (try? await engine.adopt(read.plan, folder: read.folder, connectors: read.connectors)) != nil
            {
                environment.log.notice("Plan reloaded")
                await releaseParked()
                return true
            }
            reportUnfit(unlike: before)
            return false
        } catch {
            return nil
        }
    }

    private func reportUnfit(unlike before: FarewellError?) {
        if let unfit = engine.unfit, unfit.error != before { Self.report(unfit, in: environment.log) }
    }

    /// Takes the plan and the schema as they are now.
    ///
    /// - Parameter before: Why the plan did not fit, as the log last reported it.
    /// - Returns: Whether the plan fits; `nil` if it must be tried again.
    private func reload(since before: FarewellError?) async -> Bool? {
        guard let path else { return await look(since: before) }
        do {
            let read = try NamedPlan(at: path, connecting: connecting)
            try await engine.adopt(read.plan, folder: read.folder, connectors: read.connectors)
            environment.log.notice("Plan reloaded")
            await releaseParked()
            return true
        } catch {
            guard !Task.isCancelled else { return false }
            if let unfit = engine.unfit, (error as? FarewellError) == unfit.error {
                reportUnfit(unlike: before)
                return false
            }
            let words = (error as? FarewellError)?.message ?? "It cannot be compared with the database."
            if let error = error as? FarewellError, error.family == .tryAgain {
                environment.log.warning("Plan not reloaded yet; it is tried again", metadata: ["why": "\(words)"])
                return nil
            }
            environment.log.error("Plan not reloaded; the old one stays active", metadata: ["why": "\(words)"])
            // The schema may have changed too.
            if (try? await engine.refit()) == false { reportUnfit(unlike: before) }
            return false
        }
    }

    /// Compares the plan in force with those of other processes; the log reports each change.
    ///
    /// - Returns: Whether erasures waited for a later plan and no longer do: parked ones can continue.
    @discardableResult
    private func lookAtStanding() async -> Bool {
        let before = engine.standing
        guard let now = try? await engine.lookAtStanding(), now != before else { return false }
        if let trouble = now.trouble {
            environment.log.error(
                "Erasures wait for another plan; everything else works",
                metadata: ["why": "\(trouble.message)", "remedy": "\(trouble.remedy ?? "")"])
        } else if before.trouble != nil {
            environment.log.notice("No erasure waits for another plan any longer")
        }
        if now == .superseded {
            environment.log.notice(
                "Another process has loaded a later plan; erasures that are accepted under it are left to that process",
                metadata: ["remedy": "\(PlanStanding.outdated.trouble?.remedy ?? "")"])
        }
        return before == .outdated
    }

    /// Reports a plan that does not fit, with its tables and the remedy.
    static func report(_ unfit: UnfitPlan, in log: Logger) {
        log.error(
            "The plan does not fit the database: erasures wait, everything else works",
            metadata: [
                "why": "\(unfit.error.message)", "places": "\(unfit.places.joined(separator: " "))",
                "remedy": "\(unfit.error.remedy ?? "")",
            ])
    }

    /// Whether the release of parked erasures must be tried again.
    enum Release { case over, again }

    /// Releases the erasures that waited for a plan that fits.
    ///
    /// - Returns: `again` if the database failed for a passing cause: then the next interval must try again, because
    ///   neither the file nor the schema will have changed.
    @discardableResult
    func releaseParked() async -> Release {
        do {
            let count = try await requests.releaseParkedByPlan()
            guard count > 0 else { return .over }
            environment.log.notice("Parked erasures continue under the current plan", metadata: ["count": "\(count)"])
        } catch {
            guard !Task.isCancelled else { return .over }
            if await remakeStore(after: error) { return .over }
            let words = (error as? FarewellError)?.message ?? "The database does not answer."
            if let error = error as? FarewellError, error.family == .tryAgain {
                environment.log.warning(
                    "Whether parked erasures can continue is not known yet; it is tried again",
                    metadata: ["why": "\(words)"])
                return .again
            }
            environment.log.error("Parked erasures wait", metadata: ["why": "\(words)"])
        }
        return .over
    }

    /// A database that was restored from before the first erasure has no control store.
    private func remakeStore(after error: any Error) async -> Bool {
        guard ["sql.42P01", "sql.3F000"].contains((error as? FarewellError)?.code.rawValue) else { return false }
        do {
            guard try await engine.remakeStore() else { return false }
            environment.log.error(
                "The database no longer had a control store; it was created again",
                metadata: ["remedy": "If a back-up was restored, run farewell reerase."])
            return true
        } catch {
            let words = (error as? FarewellError)?.message ?? "The database does not answer."
            environment.log.error("The control store cannot be created again", metadata: ["why": "\(words)"])
            return false
        }
    }

    /// Reports once that the plan's file is gone, without which the next start fails, and once that it is back.
    ///
    /// - Returns: Whether it is gone.
    func reportMissing(before: Bool) -> Bool {
        let isMissing = path != nil && Self.lastWritten(path) == nil
        guard isMissing != before else { return before }
        if isMissing {
            environment.log.error(
                "The plan's file is missing; the old plan stays active",
                metadata: ["file": "\(path ?? "")", "remedy": "Put it back: the next start needs it."])
        } else {
            environment.log.notice("The plan's file is back")
        }
        return isMissing
    }

    private static func lastWritten(_ path: String?) -> Date? {
        path.flatMap { try? FileManager.default.attributesOfItem(atPath: $0) }?[.modificationDate] as? Date
    }
}
