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

    private func driver(for member: OpenedErasure, in state: ErasureState) -> ConnectorDriver {
        var driver = driver
        driver.items = items(of: member)
        driver.record = { try await records.record(of: member.subject, in: member.id) }
        driver.mayErase = { try await steps.requireLease(of: member, in: state) }
        driver.news = { try await steps.news(Self.report(ofKey: $0, step: system.step), of: member) }
        driver.forgetNews = { try await steps.forgetNews(Self.report(ofKey: $0, step: system.step), of: member) }
        return driver
    }

    /// Erases and reads back, from the point where an earlier try stopped.
    func apply(to member: OpenedErasure) async throws -> [String: Int] {
        let (names, shared) = try await names(of: member)
        var stored = try await steps.progress(of: system.step, of: member)
        let cursor = try stored?.opened(under: member.seal)
        stored?.cursor = cursor
        let before = stored?.counts ?? [:]
        let erasing = driver(for: member, in: .running)
        var progress = try await erasing.run(await request(names, of: member), from: stored) { progress in
            let noted = records.noting(progress, since: before)
            try await steps.store(try noted.sealed(under: member.seal), system.step, of: member)
        }
        progress = records.noting(progress, since: before)
        if shared > 0 { progress.counts[Count.shared.rawValue] = shared }
        try await steps.finish(
            system.step, counts: progress.counts, round: progress.round, place: progress.place, of: member)
        return progress.counts
    }

    /// Checks again after everything else; data that came back is erased again. Data under a name that another subject
    /// also had is erased once that subject is erased, because the name then belongs to this subject alone. If both are
    /// erased at once, each run sees the other's row; the run that deletes its rows last finds none.
    ///
    /// - Parameter counts: The counts of the step.
    /// - Returns: The present counts.
    func lookAgain(for member: OpenedErasure, after counts: [String: Int]) async throws -> [String: Int] {
        let (names, shared) = try await names(of: member)
        let looking = driver(for: member, in: .verifying)
        let record = try await steps.record(of: system.step, of: member)
        let stored = record?.progress?.look == nil ? record?.progress : nil
        guard stored != nil || shared < counts[Count.shared.rawValue] ?? 0 else {
            return try await lookAgain(for: names, of: member, after: counts, record)
        }
        var begun = stored ?? StepProgress(effect: 1, counts: counts)
        begun.place = record?.systemPlace
        // Others may be erased since: the earlier request had fewer names, and so its answers do not count.
        if stored?.counts[Count.shared.rawValue] != shared {
            try await steps.forgetNews(system.step, of: member)
            begun.cursor = nil
            begun.pages = nil
            begun.sweeps = nil
            begun.isUnreported = nil
            // The number of shared names may be an earlier one again, and the key may not.
            begun.round = stored == nil && record?.round == nil ? nil : (record?.round ?? 0) + 1
            begun.counts[Count.shared.rawValue] = shared
            try await steps.store(begun, system.step, of: member, in: .verifying)
        }
        begun.cursor = try begun.opened(under: member.seal)
        // The fewer names are shared, the more names the request has: another request each time.
        let asking = await request(names, of: member, asked: "\(Self.late)\(shared)")
        let before = begun.counts
        var progress = try await looking.run(asking, from: begun) { progress in
            let noted = records.noting(progress, since: before)
            try await steps.store(try noted.sealed(under: member.seal), system.step, of: member, in: .verifying)
        }
        progress = records.noting(progress, since: before)
        progress.counts[Count.shared.rawValue] = shared
        try await steps.finish(
            system.step, counts: progress.counts, round: progress.round, place: progress.place, of: member,
            in: .verifying)
        return progress.counts
    }

    /// The same for the names of the step's request. Its rounds follow those of the step and of earlier looks, and what
    /// they erase adds to the counts.
    private func lookAgain(
        for names: [String], of member: OpenedErasure, after counts: [String: Int], _ record: StepRecord?
    ) async throws -> [String: Int] {
        var begun = record?.progress ?? StepProgress(effect: 1)
        begun.cursor = try begun.opened(under: member.seal)
        (begun.round, begun.place) = (record?.round, record?.systemPlace)
        let before = begun.counts
        let looking = driver(for: member, in: .verifying)
        var ended = try await looking.lookAgain(await request(names, of: member), from: begun) { progress in
            let noted = records.noting(progress, since: before)
            try await steps.store(try noted.sealed(under: member.seal), system.step, of: member, in: .verifying)
        }
        ended = records.noting(ended, since: before)
        guard record?.progress != nil || ended.round != record?.round else { return counts }
        var all = counts
        let (erased, acknowledged) = (Count.erased.rawValue, Count.acknowledged.rawValue)
        if let more = ended.counts[erased] { all[erased] = ConnectorDriver.plausible((counts[erased] ?? 0) + more) }
        if let more = ended.counts[acknowledged] { all[acknowledged] = max(counts[acknowledged] ?? 0, more) }
        try await steps.finish(
            system.step, counts: all, round: ended.round, place: ended.place, of: member, in: .verifying)
        return all
    }

    /// The amount of data of a subject whose erasure has ended; changes nothing. `nil` if it is unknown.
    func left(of member: OpenedErasure) async throws -> Int? {
        var driver = driver
        driver.items = items(of: member)
        driver.record = { try await records.record(of: member.subject, in: member.id) }
        return try await driver.left(await request(try await names(of: member).names, of: member))
    }

    private func items(of member: OpenedErasure) -> @Sendable () async throws -> [String] {
        guard let owned = system.owned else { return { [] } }
        let (reading, key) = (OwnedItemReading(database: context.database, owned: owned), member.subject.key.text)
        return { try await reading.names(of: key) }
    }

    /// The system's names for the subject, without those that also belong to another subject.
    private func names(of member: OpenedErasure) async throws -> (names: [String], shared: Int) {
        let naming = SystemNames(keys: context.keys, dialect: context.prepared.schema.dialect)
        let all = try naming.names(in: system, of: member.subject)
        let names = try await SharedNames.own(all, in: system, of: member.subject, context)
        return (names, all.count - names.count)
    }

    /// The suffix of the key for names that also belonged to another subject at first: a system that has answered the
    /// first request would otherwise take this one for the same.
    private static let late = "/late/"

    private func request(_ names: [String], of member: OpenedErasure, asked end: String = "") async -> ConnectorRequest
    {
        // A failed check says nothing about the clock.
        let isTrusted = (try? await context.clock.mayDecide()) ?? false
        let now = context.environment.now().timeIntervalSince1970
        return ConnectorRequest(
            key: "\(member.id.text)/\(system.step)\(end)", names: names,
            requestedAt: member.record.requestedAt.timeIntervalSince1970,
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
}
