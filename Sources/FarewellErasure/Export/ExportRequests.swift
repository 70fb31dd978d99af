// SPDX-License-Identifier: Apache-2.0

package import Farewell
import FarewellKeys
package import Foundation
import Logging

/// Accepts exports of subjects for themselves, writes their archives, and removes the archives after a short time.
///
/// All of it belongs to one process: it knows its own exports only, and forgets and removes them when it stops.
package actor ExportRequests {
    private let engine: ErasureEngine
    private let erasures: ErasureRequests
    private let place: ExportPlace
    private let rules: ExportRules
    private var kept: [UUID: Kept] = [:]
    private var waiting: [UUID] = []
    private var running = 0
    private var isClosed = false

    private struct Kept {
        let subject: String
        let hash: SubjectHash
        let meter: ExportMeter
        let isRemoved = Guarded(false)
        var export: RequestedExport
        var work: Task<Void, Never>?
        /// The machine's uptime at which it is removed; `nil` until it has ended. The wall clock may be set meanwhile.
        var expiresAt: Duration?
        /// Whether the audit log has an entry for its first download.
        var isRead = false
        /// Whether it counts for the limits: not before its subject has proved their identity.
        var takesRoom = false
        /// Whether it is in the audit log. Until then only this entry's own request knows it.
        var isAdmitted = false
        /// Why it was removed, for a request that still waits.
        let removal = Guarded<Removal?>(nil)

        var shown: RequestedExport {
            var shown = export
            shown.progress = meter.progress
            return shown
        }
    }

    /// Why an export is removed, as the audit log has it.
    private enum Removal: String, Sendable {
        case erasure, expiry, plan, stop, subject

        var error: FarewellError { self == .erasure ? ExportRequests.erasing : ExportRequests.busy }
    }

    private init(_ engine: ErasureEngine, _ erasures: ErasureRequests, _ place: ExportPlace, _ rules: ExportRules) {
        self.engine = engine
        self.erasures = erasures
        self.place = place
        self.rules = rules
    }

    /// Makes the folder of this process below the state directory.
    ///
    /// - Parameter erasures: Knows the erasures of the same subjects, each of which removes the subject's export.
    package static func open(
        _ engine: ErasureEngine, erasures: ErasureRequests, state: String, rules: ExportRules = ExportRules()
    ) async throws -> ExportRequests {
        let place = try await ExportPlace.begin(in: state, named: engine.environment.makeIdentifier().text)
        return ExportRequests(engine, erasures, place, rules)
    }

    /// Removes the exports of killed processes from a state directory.
    package static func removeLeftovers(in state: String) async throws {
        try await ExportPlace.removeLeftovers(in: state)
    }

    // MARK: Request

    /// Accepts an export of a subject.
    ///
    /// - Parameters:
    ///   - signIn: Names the sign-in that requests it; the export keeps it.
    ///   - admitting: Throws an objection. It is the last check, because it may spend a proof of identity: a request
    ///     that is refused for another reason does not spend it, unless others took the room meanwhile. Of several
    ///     requests at once, one gets here.
    /// - Throws: `export.live` while the subject has another one; `export.erasing`; `export.busy`; `export.nothing`;
    ///   what the database throws.
    package func request(
        _ subject: String, by signIn: String? = nil, admitting: @Sendable () async throws -> Void = {}
    ) async throws -> RequestedExport {
        guard !isClosed, engine.unfit == nil else { throw Self.busy }
        guard let hash = try? engine.subjectHash(of: subject) else { throw Self.nothing }
        if let erasure = try await erasures.latest(of: subject), erasure.state.endsExports { throw Self.erasing }
        await removeExpired()
        // Nothing waits from here to the entry, so that of two requests one is refused.
        let others = kept.filter { $0.value.hash == hash }
        guard others.allSatisfy({ $0.value.export.state == .failed }) else { throw Self.live }
        guard !isClosed, hasRoom else { throw Self.busy }
        let id = engine.environment.makeIdentifier()
        let made = RequestedExport(id: id, requestedAt: engine.environment.now(), signIn: signIn)
        let entry = Kept(subject: subject, hash: hash, meter: ExportMeter(limit: rules.bytes), export: made)
        kept[id] = entry
        do {
            try await admitting()
            // An erasure that began meanwhile, or the end of the server, removes the entry.
            if let removal = entry.removal.withLock({ $0 }) { throw removal.error }
            guard hasRoom else { throw Self.busy }
            kept[id]?.takesRoom = true
            try await engine.record("export.requested", of: hash, ["export": id.text])
        } catch {
            kept[id] = nil
            throw error
        }
        if let removal = entry.removal.withLock({ $0 }) {
            await note("export.removed", id, hash, ["reason": removal.rawValue])
            throw removal.error
        }
        for failed in others.keys { kept[failed] = nil }
        kept[id]?.isAdmitted = true
        waiting.append(id)
        startNext()
        return kept[id]?.shown ?? made
    }

    /// Whether one more export can be accepted. Only archives take bytes: if unfinished exports did, a few users would
    /// have those of all others refused. One more can wait for them.
    private var hasRoom: Bool {
        kept.values.count { $0.takesRoom && $0.export.state != .failed } < rules.most && hasBytes(beside: [.ready])
    }

    /// Whether the disk has room for one more. One that is being written may become as large as an export may be.
    private func hasBytes(beside states: Set<RequestedExport.State>) -> Bool {
        let present = kept.values.filter { states.contains($0.export.state) }
        let bytes = present.reduce(0) { $0 + ($1.export.archiveBytes ?? rules.bytes) }
        return present.isEmpty || bytes + rules.bytes <= rules.totalBytes
    }

    private func startNext() {
        while !isClosed, running < rules.concurrency, !waiting.isEmpty, hasBytes(beside: [.running, .ready]) {
            let id = waiting.removeFirst()
            guard var next = kept[id] else { continue }
            running += 1
            next.export.state = .running
            let (engine, place, subject, meter) = (engine, place, next.subject, next.meter)
            next.work = Self.begin { [self] in
                let written = await Self.write(subject, id, engine, place, meter)
                await end(id, written)
            }
            kept[id] = next
        }
    }

    private static func begin(_ work: @escaping @Sendable @concurrent () async -> Void) -> Task<Void, Never> {
        if #available(macOS 15, iOS 18, *) { ExportThreads.begin(work) } else { Task { await work() } }
    }

    /// - Returns: The size of the archive.
    @concurrent
    private static func write(
        _ subject: String, _ id: UUID, _ engine: ErasureEngine, _ place: ExportPlace, _ meter: ExportMeter
    ) async -> Result<Int, any Error> {
        do {
            _ = try await engine.export(subject, to: try place.path(for: id), meter: meter)
            return .success(try place.archive(of: id, isRemoved: Guarded(false)).size)
        } catch {
            return .failure(error)
        }
    }

    private func end(_ id: UUID, _ written: Result<Int, any Error>) async {
        running -= 1
        // Code that removed the entry also removes the files.
        guard var ended = kept[id] else { return startNext() }
        ended.expiresAt = engine.environment.uptime() + .seconds(rules.life)
        ended.export.expiresAt = engine.environment.now().addingTimeInterval(TimeInterval(rules.life))
        switch written {
        case .success(let bytes):
            (ended.export.state, ended.export.archiveBytes) = (.ready, bytes)
        case .failure(let error):
            let code = (error as? FarewellError)?.code ?? "export.failed"
            engine.environment.log.warning("an export failed", metadata: ["cause": "\(FarewellError.code(of: error))"])
            (ended.export.state, ended.export.cause) = (.failed, Self.cause(code))
        }
        kept[id] = ended
        startNext()
        if ended.export.state == .failed { await removeFiles(of: id) }
        await note("export.\(ended.export.state.rawValue)", id, ended.hash)
    }

    private static func cause(_ code: FarewellError.Code) -> FarewellError.Code {
        switch code {
        case ExportMeter.tooLarge.code: code
        case "subject.unknown", "subject.malformed": nothing.code
        default: "export.failed"
        }
    }

    // MARK: Looking

    /// An export of this subject.
    ///
    /// - Throws: `export.not-found`, also for an export of another subject and an expired one.
    package func export(_ id: UUID?, of subject: String) throws -> RequestedExport { try entry(id, subject).shown }

    /// The subject's newest export; nil without one.
    package func latest(of subject: String) -> RequestedExport? {
        guard let hash = try? engine.subjectHash(of: subject) else { return nil }
        return kept.values.filter { $0.hash == hash && $0.isAdmitted && isKnown($0) }.map(\.shown).max {
            $0.requestedAt < $1.requestedAt
        }
    }

    /// The archive of an export of this subject.
    ///
    /// - Throws: `export.not-found`; `export.not-ready`.
    package func archive(_ id: UUID?, of subject: String) async throws -> ExportArchive {
        let found = try entry(id, subject)
        guard found.export.state == .ready else { throw Self.notReady }
        let archive = try place.archive(of: found.export.id, isRemoved: found.isRemoved)
        guard kept[found.export.id]?.isRead == false else { return archive }
        kept[found.export.id]?.isRead = true
        try await engine.record("export.read", of: found.hash, ["export": found.export.id.text])
        return archive
    }

    private func entry(_ id: UUID?, _ subject: String) throws -> Kept {
        guard let id, let found = kept[id], found.isAdmitted, isKnown(found),
            let hash = try? engine.subjectHash(of: subject), hash == found.hash
        else { throw Self.notFound }
        return found
    }

    private func isKnown(_ one: Kept) -> Bool {
        one.expiresAt.map { engine.environment.uptime() < $0 } ?? true
    }

    // MARK: Removing

    /// Removes an export of this subject, or stops it.
    ///
    /// - Throws: `export.not-found`.
    package func remove(_ id: UUID?, of subject: String) async throws {
        await drop(try entry(id, subject).export.id, because: .subject)
    }

    /// Whether there is an export of one of some subjects.
    func hasAny(of subjects: [String]) -> Bool {
        guard !kept.isEmpty else { return false }
        let hashes = Set(subjects.compactMap { try? engine.subjectHash(of: $0) })
        return kept.values.contains { hashes.contains($0.hash) }
    }

    /// Removes the exports of subjects whose erasure begins.
    package func remove(of subjects: [String]) async {
        let hashes = Set(subjects.compactMap { try? engine.subjectHash(of: $0) })
        for (id, one) in kept where hashes.contains(one.hash) { await drop(id, because: .erasure) }
    }

    /// Removes expired exports, and those of subjects whom another process erases, until the task is cancelled.
    package func run() async {
        while (try? await engine.environment.sleep(.seconds(1))) != nil {
            await removeExpired()
            for (id, one) in kept {
                let erasure: RequestedErasure?
                do {
                    erasure = try await erasures.latest(of: one.subject)
                } catch let error as FarewellError where error.code == ErasureRequests.waitsForPlan.code {
                    // Another process may have a plan that fits, and erase the subject.
                    await drop(id, because: .plan)
                    continue
                } catch {
                    continue
                }
                guard let erasure else { continue }
                let isErased = erasure.status.erasure.finishedAt.map { $0 >= one.export.requestedAt } ?? false
                if erasure.state.endsExports || isErased { await drop(id, because: .erasure) }
            }
        }
    }

    /// Removes all exports and accepts none from now on.
    package func close() async {
        isClosed = true
        for id in Array(kept.keys) { await drop(id, because: .stop) }
        await engine.environment.uninterrupted { [place] in try? await place.end() }
    }

    private func removeExpired() async {
        for (id, one) in kept where !isKnown(one) { await drop(id, because: .expiry) }
    }

    private func drop(_ id: UUID, because reason: Removal) async {
        guard let dropped = kept.removeValue(forKey: id) else { return }
        dropped.removal.withLock { $0 = reason }
        waiting.removeAll { $0 == id }
        dropped.isRemoved.withLock { $0 = true }
        dropped.work?.cancel()
        await dropped.work?.value
        await removeFiles(of: id)
        startNext()
        if dropped.isAdmitted { await note("export.removed", id, dropped.hash, ["reason": reason.rawValue]) }
    }

    private func removeFiles(of id: UUID) async {
        let (place, log) = (place, engine.environment.log)
        await engine.environment.uninterrupted {
            do {
                try await place.remove(id)
            } catch {
                let code = FarewellError.code(of: error)
                log.error("an export cannot be removed", metadata: ["cause": "\(code)"])
            }
        }
    }

    /// The removal and the end of an export do not wait for the audit log.
    private func note(_ act: String, _ id: UUID, _ hash: SubjectHash, _ details: [String: String] = [:]) async {
        try? await engine.record(act, of: hash, details.merging(["export": id.text]) { $1 })
    }
}

extension ExportRequests {
    package static let notFound = FarewellError("export.not-found", .yoursToFix, "There is no such export.")
    static let notReady = FarewellError(
        "export.not-ready", .yoursToFix, "The archive is not complete.",
        remedy: "Read the export until its state is ready; a failed one has none.")
    static let live = FarewellError(
        "export.live", .yoursToFix, "This account already has an export.",
        remedy: "GET /v1/exports finds it. Remove it to request another one.")
    static let erasing = FarewellError(
        "export.erasing", .yoursToFix, "The account is being erased and can no longer be exported.")
    static let nothing = FarewellError(
        "export.nothing", .yoursToFix, "There is no data of this account.")
    static let busy = FarewellError(
        "export.busy", .tryAgain, "No export can be accepted now.", remedy: "Try again later.")
}

extension ErasureState {
    /// Whether an erasure has begun or is about to: not while its subject may cancel it.
    fileprivate var endsExports: Bool { isLive && self != .grace }
}
