// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation
import Logging

/// Sends ended sessions to the readers of the feed of revocations: to each reader in the order of the feed, by one
/// server at a time, from its position in the control store. So a restart loses nothing and repeats little, and a
/// repeated event has the same identifier.
///
/// An undelivered event is tried again for a day, and then given up: no access token lives longer. An erasure sends its
/// own events; the session ends that belong to it are skipped.
package struct RevocationDeliverer: Sendable {
    private let feed: any RevocationSource
    private let engine: ErasureEngine
    private let delivery: any RevocationEventDelivery

    /// Seconds in which no other process serves the same reader.
    private static let claim = 60.0
    private static let atOnce = 100
    /// Seconds for which an entry is tried; an hour less than the feed keeps it.
    private static let life: TimeInterval = 86_400
    /// Signals come from this process only if it follows the feed, and pauses end without one.
    private static let poll = Duration.seconds(2)

    package init(_ feed: any RevocationSource, engine: ErasureEngine, delivery: any RevocationEventDelivery) {
        self.feed = feed
        self.engine = engine
        self.delivery = delivery
    }

    /// Adds new readers, which begin with sessions that end from now on. For known readers it checks, before any
    /// session ends, whether the feed was restored from a back-up meanwhile: later it may have caught up with them.
    package func enter() async throws {
        let newest = try await feed.newestRevocation()
        for reader in delivery.readers {
            try await engine.database.run(engine.control.enter(reader: reader, at: newest))
            let position = try await engine.control.position(ofReader: reader).run(in: engine.database)
            if let cursor = position?.cursor { try await rewind(reader, from: cursor) }
        }
    }

    /// Tells until the task is cancelled. No reader waits for another.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            for reader in delivery.readers { group.addTask { await follow(reader) } }
        }
    }

    private func follow(_ reader: String) async {
        let wakes = WakeStream(feed.revocationWakes, every: Self.poll, sleep: engine.environment.sleep)
        for await _ in wakes.stream {
            if Task.isCancelled { return }
            do {
                try await deliver(to: reader)
            } catch {
                guard !Task.isCancelled else { return }
                let text = FarewellError.text(of: error)
                engine.environment.log.warning("Reporting ended sessions failed.", metadata: ["error": "\(text)"])
            }
        }
    }

    // MARK: One round

    private struct Claim: Sendable {
        let reader: String
        let epoch: Int64
        var cursor: Int64
        /// How often the entry after the cursor was not taken.
        var attempts: Int
    }

    /// How far one round came.
    private struct Round: Sendable {
        var claim: Claim
        var late = 0
        var refusals: [String] = []
        var failure: DeliveryFailure?

        mutating func pass(_ entry: Revocation) {
            claim.cursor = entry.cursor
            claim.attempts = 0
        }
    }

    /// Tells a reader what has ended since, as far as the reader takes it.
    func deliver(to reader: String) async throws {
        guard let cursor = try await due(reader) else { return }
        guard try await !feed.revocations(after: cursor, limit: 1).isEmpty else {
            return try await rewind(reader, from: cursor)
        }
        guard let claim = try await claimed(reader) else { return }
        var round = Round(claim: claim)
        var trouble: (any Error)?
        do {
            try await report(&round)
        } catch {
            trouble = error
        }
        await rest(round)
        if let trouble { throw trouble }
    }

    private func report(_ round: inout Round) async throws {
        let reader = round.claim.reader
        while true {
            let entries = try await feed.revocations(after: round.claim.cursor, limit: Self.atOnce)
            for entry in entries {
                if Task.isCancelled { return }
                switch try await fate(of: entry, for: reader) {
                case .passed: round.pass(entry)
                case .late:
                    round.late += 1
                    round.pass(entry)
                case .delivered:
                    round.pass(entry)
                    guard try await hold(round.claim) else { return }
                case .undelivered(let failure):
                    guard failure.isFinal else {
                        round.failure = failure
                        return
                    }
                    round.refusals.append(failure.reason)
                    round.pass(entry)
                    guard try await hold(round.claim) else { return }
                }
            }
            guard entries.count == Self.atOnce, try await hold(round.claim) else { return }
        }
    }

    /// The outcome for an entry.
    private enum Fate: Sendable {
        case delivered
        /// An erasure's own event reports it.
        case passed
        /// It is too old to matter.
        case late
        case undelivered(DeliveryFailure)
    }

    private func fate(of entry: Revocation, for reader: String) async throws -> Fate {
        if try await isToldOtherwise(entry) { return .passed }
        let oldest = engine.environment.now().addingTimeInterval(-Self.life)
        guard entry.revokedAt > oldest || !engine.clock.isTrusted else { return .late }
        do throws(DeliveryFailure) {
            try await delivery.report(OutgoingRevocation(entry), to: reader)
            return .delivered
        } catch {
            return .undelivered(error)
        }
    }

    /// A deleted user has an entry for all of their sessions beside those for each. It is sent only if no erasure
    /// reports it: when an operator or another program has deleted the user.
    private func isToldOtherwise(_ entry: Revocation) async throws -> Bool {
        guard entry.reason == .deleted else { return false }
        guard entry.sessionID == nil else { return true }
        guard let hash = try? engine.subjectHash(of: entry.subject.text) else { return false }
        return try await engine.control.isTold(subjectHash: hash.rawValue).run(in: engine.database)
    }

    // MARK: A reader's position

    /// The cursor of a due reader; `nil` if it waits, another process serves it, or it was unknown.
    private func due(_ reader: String) async throws -> Int64? {
        guard let position = try await engine.control.position(ofReader: reader).run(in: engine.database) else {
            try await enter()
            return nil
        }
        return position.isDue ? position.cursor : nil
    }

    /// A cursor that the feed never issued is from before its database was restored from a back-up. A repeated event
    /// then has its former identifier.
    private func rewind(_ reader: String, from cursor: Int64) async throws {
        guard try await !feed.mayHaveGiven(cursor) else { return }
        try await engine.database.run(engine.control.rewind(reader: reader, from: cursor))
    }

    private func claimed(_ reader: String) async throws -> Claim? {
        let claiming = engine.control.claim(reader: reader, seconds: Self.claim)
        guard let claim = try await claiming.run(in: engine.database) else { return nil }
        return Claim(
            reader: reader, epoch: claim.epoch, cursor: claim.cursor, attempts: Int(min(claim.attempts, 1_000)))
    }

    /// Stores its progress, and that it continues. False if another process has taken the reader over.
    private func hold(_ claim: Claim) async throws -> Bool {
        try await engine.database.run(advance(claim, seconds: Self.claim)).affected == 1
    }

    /// Notes how far it came, and gives the reader back: at once, or for after a pause that is longer each time.
    private func rest(_ round: Round) async {
        var claim = round.claim
        var pause = 0.0
        if round.late > 0 {
            engine.environment.log.error(
                "A receiver no longer gets reports of sessions that ended more than a day ago.",
                metadata: ["endpoint": "\(claim.reader)", "sessions": "\(round.late)"])
        }
        if let reason = round.refusals.last {
            engine.environment.log.error(
                "A receiver permanently refused reports of ended sessions.",
                metadata: [
                    "endpoint": "\(claim.reader)", "sessions": "\(round.refusals.count)", "reason": "\(reason)",
                ])
        }
        // An interruption is no refusal.
        if let failure = round.failure, !Task.isCancelled {
            claim.attempts += 1
            let retry = RetryPolicy.deliveries
            let least = retry.delay(afterFailures: claim.attempts, chance: engine.environment.chance())
            pause = max(least, min(.seconds(failure.retryAfter ?? 0), retry.longest)) / .seconds(1)
            engine.environment.log.warning(
                "A receiver did not accept the report of an ended session; it is sent again.",
                metadata: ["endpoint": "\(claim.reader)", "reason": "\(failure.reason)"])
        }
        let statement = advance(claim, seconds: pause)
        await engine.environment.uninterrupted { _ = try? await engine.database.run(statement) }
    }

    private func advance(_ claim: Claim, seconds: Double) -> SQLStatement {
        engine.control.advance(
            reader: claim.reader, epoch: claim.epoch, to: claim.cursor, attempts: claim.attempts, seconds: seconds)
    }
}
