// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// Erases a subject's data in one third-party system, as a step of the run.
struct SystemErasure: Sendable {
    let context: ErasureContext
    let system: SystemPlan
    let connector: any Connector

    typealias Count = ConnectorDriver.Count

    private var steps: StepRecording { StepRecording(context: context) }

    private var records: PlaceRecords { PlaceRecords(context: context, system: system) }

    var driver: ConnectorDriver {
        var driver = ConnectorDriver(
            system.name, connector, sleep: context.environment.sleep, chance: context.environment.chance)
        driver.waitsBetweenPages = !context.hasWorkers
        return driver
    }

    private func driver(for erasure: OpenedErasure, in state: ErasureState) -> ConnectorDriver {
        var driver = driver
        driver.items = items(of: erasure)
        driver.record = { try await records.record(of: erasure.subject, in: erasure.id) }
        driver.time = { [wall = context.environment.wall] in wall().timeIntervalSince1970 }
        driver.mayErase = { try await steps.requireLease(of: erasure, in: state) }
        driver.news = { try await steps.news(Self.report(ofKey: $0, step: system.step), of: erasure) }
        driver.forgetNews = { try await steps.forgetNews(Self.report(ofKey: $0, step: system.step), of: erasure) }
        return driver
    }

    /// Erases and reads back, from the point where an earlier try stopped.
    func apply(to erasure: OpenedErasure) async throws -> [String: Int] {
        let (names, shared) = try await names(of: erasure)
        var stored = try await steps.progress(of: system.step, of: erasure)
        let cursor = try stored?.opened(under: erasure.seal)
        stored?.cursor = cursor
        let before = stored?.counts ?? [:]
        let erasing = driver(for: erasure, in: .running)
        var progress = try await erasing.run(await request(names, of: erasure), from: stored) { progress in
            let noted = records.noting(progress, since: before)
            try await steps.store(try noted.sealed(under: erasure.seal), system.step, of: erasure)
        }
        progress = records.noting(progress, since: before)
        if shared > 0 { progress.counts[Count.shared.rawValue] = shared }
        try await steps.finish(
            system.step, counts: progress.counts, round: progress.round, place: progress.place, of: erasure)
        if stored?.isReportDue == true { try await steps.forgetFailures(of: erasure, in: .running) }
        return progress.counts
    }

    /// Checks again after everything else; data that came back is erased again. Data under a name that another subject
    /// also had is erased once that subject is erased, because the name then belongs to this subject alone. If both are
    /// erased at once, each run sees the other's row; the run that deletes its rows last finds none.
    ///
    /// - Parameter counts: The counts of the step.
    /// - Returns: The present counts.
    func lookAgain(for erasure: OpenedErasure, after counts: [String: Int]) async throws -> [String: Int] {
        let (names, shared) = try await names(of: erasure)
        let looking = driver(for: erasure, in: .verifying)
        let record = try await steps.record(of: system.step, of: erasure)
        let stored = record?.progress?.look == nil ? record?.progress : nil
        guard stored != nil || shared < counts[Count.shared.rawValue] ?? 0 else {
            return try await lookAgain(for: names, of: erasure, after: counts, record)
        }
        var begun = stored ?? StepProgress(effect: 1, counts: counts)
        begun.place = record?.systemPlace
        // Others may be erased since: the earlier request had fewer names, and so its answers do not count.
        if stored?.counts[Count.shared.rawValue] != shared {
            try await steps.forgetNews(system.step, of: erasure)
            begun.cursor = nil
            begun.pages = nil
            begun.sweeps = nil
            begun.isUnreported = nil
            begun.awaitsReport = nil
            // The number of shared names may be an earlier one again, and the key may not.
            begun.round = stored == nil && record?.round == nil ? nil : (record?.round ?? 0) + 1
            begun.counts[Count.shared.rawValue] = shared
            try await steps.store(begun, system.step, of: erasure, in: .verifying)
        }
        begun.cursor = try begun.opened(under: erasure.seal)
        // The fewer names are shared, the more names the request has: another request each time.
        let asking = await request(names, of: erasure, asked: "\(Self.late)\(shared)")
        let before = begun.counts
        var progress = try await looking.run(asking, from: begun) { progress in
            let noted = records.noting(progress, since: before)
            try await steps.store(try noted.sealed(under: erasure.seal), system.step, of: erasure, in: .verifying)
        }
        progress = records.noting(progress, since: before)
        progress.counts[Count.shared.rawValue] = shared
        try await steps.finish(
            system.step, counts: progress.counts, round: progress.round, place: progress.place, of: erasure,
            in: .verifying)
        if stored?.isReportDue == true { try await steps.forgetFailures(of: erasure, in: .verifying) }
        return progress.counts
    }

    /// The same for the names of the step's request. Its rounds follow those of the step and of earlier looks, and what
    /// they erase adds to the counts.
    private func lookAgain(
        for names: [String], of erasure: OpenedErasure, after counts: [String: Int], _ record: StepRecord?
    ) async throws -> [String: Int] {
        var begun = record?.progress ?? StepProgress(effect: 1)
        begun.cursor = try begun.opened(under: erasure.seal)
        (begun.round, begun.place) = (record?.round, record?.systemPlace)
        let before = begun.counts
        let looking = driver(for: erasure, in: .verifying)
        var ended = try await looking.lookAgain(await request(names, of: erasure), from: begun) { progress in
            let noted = records.noting(progress, since: before)
            try await steps.store(try noted.sealed(under: erasure.seal), system.step, of: erasure, in: .verifying)
        }
        ended = records.noting(ended, since: before)
        guard record?.progress != nil || record?.pausedUntil != nil || ended.round != record?.round else {
            return counts
        }
        var all = counts
        let (erased, acknowledged) = (Count.erased.rawValue, Count.acknowledged.rawValue)
        if let more = ended.counts[erased] { all[erased] = ConnectorDriver.plausible((counts[erased] ?? 0) + more) }
        if let more = ended.counts[acknowledged] { all[acknowledged] = max(counts[acknowledged] ?? 0, more) }
        try await steps.finish(
            system.step, counts: all, round: ended.round, place: ended.place, of: erasure, in: .verifying)
        return all
    }

    /// The amount of data of a subject whose erasure has ended; changes nothing. `nil` if it is unknown.
    func left(of erasure: OpenedErasure) async throws -> Int? {
        var driver = driver
        driver.items = items(of: erasure)
        driver.record = { try await records.record(of: erasure.subject, in: erasure.id) }
        return try await driver.left(await request(try await names(of: erasure).names, of: erasure))
    }

    private func items(of erasure: OpenedErasure) -> @Sendable () async throws -> [String] {
        guard let owned = system.owned else { return { [] } }
        let (reading, key) = (OwnedItemReading(database: context.database, owned: owned), erasure.subject.key.text)
        return { try await reading.names(of: key) }
    }

    /// The system's names for the subject, without those that also belong to another subject.
    private func names(of erasure: OpenedErasure) async throws -> (names: [String], shared: Int) {
        let naming = SystemNames(keys: context.keys, dialect: context.prepared.schema.dialect)
        let all = try naming.names(in: system, of: erasure.subject)
        let names = try await SharedNames.own(all, in: system, of: erasure.subject, context)
        return (names, all.count - names.count)
    }

    /// The suffix of the key for names that also belonged to another subject at first: a system that has answered the
    /// first request would otherwise take this one for the same.
    private static let late = "/late/"

    private func request(_ names: [String], of erasure: OpenedErasure, asked end: String = "") async -> ConnectorRequest
    {
        // A failed check says nothing about the clock.
        let isTrusted = (try? await context.clock.mayDecide()) ?? false
        let now = context.environment.now().timeIntervalSince1970
        return ConnectorRequest(
            key: "\(erasure.id.text)/\(system.step)\(end)", names: names,
            requestedAt: erasure.record.requestedAt.timeIntervalSince1970,
            time: isTrusted ? .decided(now) : .doubtful(now))
    }

    /// A request to a system, as its idempotency key names it.
    struct Request: Sendable, Hashable {
        let id: UUID
        /// Whether it is about names that also belonged to another subject at first.
        let isLate: Bool
        /// How often it was restarted.
        let round: Int
    }

    /// The request of an idempotency key of this step; `nil` for another key.
    static func request(ofKey key: String, step: String) -> Request? {
        guard let slash = key.firstIndex(of: "/"), let id = UUID(text: String(key[..<slash])) else { return nil }
        let asked = String(key[key.index(after: slash)...])
        if asked == step { return Request(id: id, isLate: false, round: 0) }
        let (first, round) = ConnectorDriver.parts(ofKey: asked)
        let isLate = first.hasPrefix(step + late)
        return isLate || first == step ? Request(id: id, isLate: isLate, round: round) : nil
    }

    /// The name under which a system's report about a request is kept: each round has its own, so that a report is
    /// counted once, however often and however late it is repeated.
    static func report(ofKey key: String, step: String) -> String {
        guard let request = request(ofKey: key, step: step), request.round > 0 else { return step }
        return String(key[key.index(after: key.firstIndex(of: "/") ?? key.startIndex)...])
    }

    /// Whether a report of this name is about the request that a step has made after this number of restarts.
    static func isReport(_ name: String, step: String, round: Int) -> Bool {
        guard round > 0 else { return name == step }
        let (first, told) = ConnectorDriver.parts(ofKey: name)
        return told == round && (first == step || first.hasPrefix(step + late))
    }
}
