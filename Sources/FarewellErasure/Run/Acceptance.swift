// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// Decides whether erasures of some subjects begin, and records those that do: the one way in, for the command, the
/// server, a second look and the single transaction.
struct Acceptance: Sendable {
    let context: ErasureContext

    private var control: ControlStore { context.control }

    // MARK: Deciding

    /// The control store's objections to new erasures of some subjects.
    struct Standing: Sendable {
        /// Hashes of the subjects that have a live erasure, which they keep.
        let live: Set<String>
        /// Holds that cancelled erasures of the subjects have left, by subject hash: a new one is held as well.
        let holds: [String: CarriedOverHold]

        /// Whether an erasure of the subject can be begun at once.
        func isFree(_ hash: String) -> Bool { !live.contains(hash) && holds[hash] == nil }
    }

    /// Asks for the standing of some subjects, in the transaction that records their erasures.
    func standing(of hashes: [String]) -> StoreQueries<Standing> {
        StoreQueries(control.requests.live(subjectHashes: hashes), control.requests.held(subjectHashes: hashes)) {
            Standing(live: $0, holds: $1)
        }
    }

    // MARK: Recording

    /// Records erasures of subjects that have none, each with the hold that an earlier one has left.
    ///
    /// - Returns: The statements without the audit log's, and the acts for that log.
    func recording(_ records: [ErasureRecord], _ standing: Standing) -> (
        statements: [SQLStatement], acts: [AuditLog.Act]
    ) {
        var statements = control.requests.insert(records)
        var acts = records.map(Self.act)
        for record in records {
            guard let hold = standing.holds[record.subjectHash] else { continue }
            acts.append(hold.act(on: record.id, subjectHash: record.subjectHash))
            statements += hold.statements(on: record.id, control)
        }
        return (statements, acts)
    }

    /// The audit log's entry for an accepted erasure.
    static func act(_ record: ErasureRecord) -> AuditLog.Act {
        AuditLog.Act(act: "erasure.accepted", erasure: record.id, subjectHash: record.subjectHash)
    }

    // MARK: The command

    /// The results for subjects whose erasure begins at once.
    struct Answer: Sendable {
        var accepted: [OpenedErasure] = []
        /// Subjects that have a live erasure already, or whose new one is held.
        var running: [(key: SQLValue, hash: String)] = []
        /// Subjects without any data.
        var unknown: [SQLValue] = []
    }

    /// Accepts erasures that begin at once, under a first lease.
    func accept(_ keys: [SQLValue]) async throws -> Answer {
        try await context.database.withConnection { connection in
            do {
                return try await accept(keys, on: connection)
            } catch let error as FarewellError where error.family != .tryAgain {
                _ = try? await connection.run(control.rollback)
                // A missing column or table means another schema than the plan was checked against.
                throw try await context.prepared.isCurrent(on: connection) ? error : GuardFailure.schemaChanged
            }
        }
    }

    /// It waits for another transaction that is erasing one of the subjects. SQLite has one writer at a time; on
    /// PostgreSQL the subjects are locked, and everything is sealed before any transaction must wait for the audit log.
    private func accept(_ keys: [SQLValue], on connection: any SQLConnection) async throws -> Answer {
        let beginning = [control.begin] + (context.canLeaveWaiting ? [control.leaveWaiting] : [])
        var holding: [SQLStatement] = []
        if context.database.dialect.takesSeveralWriters {
            holding =
                beginning + [control.boundWaiting, control.requests.hold(subjectHashes: context.subjectHashes(keys))]
        } else {
            _ = try await connection.pipeline(beginning)
        }
        let found = try await SubjectResolver(prepared: context.prepared).resolve(
            keys, .sized, after: holding, on: connection)
        let unknown = keys.filter { found[$0] == nil }
        let now = context.environment.now()
        let erasures = try keys.compactMap { found[$0] }.map {
            try context.newErasure($0, state: .running, at: now).sealed()
        }
        guard !erasures.isEmpty else {
            try await connection.run(control.rollback)
            return Answer(unknown: unknown)
        }
        var asked = StatementParts()
        let head = asked.add(context.audit.head)
        let subjects = asked.add(standing(of: erasures.map(\.record.subjectHash)))
        let results = try await connection.pipeline(asked.statements)
        let standing = try subjects.answer(in: results)
        var answer = try await record(erasures, standing, head.answers(in: results).last, on: connection)
        answer.unknown = unknown
        return answer
    }

    /// The rest of the transaction: the erasures, their first step if it follows at once, and the audit log.
    private func record(
        _ erasures: [OpenedErasure], _ standing: Standing, _ head: SQLResult?, on connection: any SQLConnection
    ) async throws -> Answer {
        var answer = Answer()
        answer.accepted = erasures.filter { standing.isFree($0.record.subjectHash) }
        answer.running = erasures.filter { !standing.isFree($0.record.subjectHash) }.map {
            ($0.subject.key.value, $0.record.subjectHash)
        }
        let new = erasures.map(\.record).filter { !standing.live.contains($0.subjectHash) }
        let now = context.environment.now()
        let (recorded, acts) = recording(new, standing)
        var statements = recorded + (try context.audit.append(acts, after: head, actor: "engine", at: now))
        if let step = context.firstStep, !answer.accepted.isEmpty {
            statements += control.steps.begin(step: step, of: answer.accepted.map(\.id), at: now)
        }
        _ = try await connection.pipeline(statements + [control.commit])
        return answer
    }

    // MARK: The server

    /// An erasure that a request asks for, not claimed by a worker.
    struct Asked: Sendable {
        let erasure: OpenedErasure
        let ticket: TicketRecord
        /// The number of the subject's erasures that were complete before its rows were read. If there are more now,
        /// those rows are deleted, and must be read again.
        let ended: Int
        /// The proof of identity that is used up with it.
        var proof: ProofRecord?
        /// Whether this process claims it, because its caller waits and a worker is free.
        var isHandedOver = false
    }

    /// An erasure as it was accepted.
    struct Accepted: Sendable {
        /// Without an owner if it is not handed over, or if the subject is held.
        var record: ErasureRecord
        var promise: ErasurePromise?
    }

    /// Accepts erasures for workers, in one transaction of two round trips under the audit log's lock: one such
    /// transaction at a time.
    ///
    /// - Returns: Each erasure as it was accepted; `nil` if its rows must be read again, if another erasure of the
    ///   subject is live or among these, or if its proof is used up.
    /// - Throws: `erasure.key-reused` when the ticket of the only one opens another erasure.
    func accept(_ asked: [Asked], _ terms: AcceptanceTerms) async throws -> [Accepted?] {
        let hashes = asked.map(\.erasure.record.subjectHash)
        var asking = StatementParts()
        // Awaited erasures are accepted and carried out in one transaction, which ends first.
        if context.database.dialect.takesSeveralWriters {
            _ = asking.add([control.requests.hold(subjectHashes: hashes)])
        }
        let head = asking.add(context.audit.head)
        let subjects = asking.add(standing(of: hashes))
        let counts = asking.add(control.requests.countDone(subjectHashes: hashes))
        let proofs = asked.compactMap(\.proof)
        let unused = proofs.isEmpty ? nil : asking.add(control.requests.unused(proofs))
        do {
            let accepted = try await context.database.transaction(of: asking.statements) { results in
                let standing = try subjects.answer(in: results)
                let ended = try counts.answer(in: results)
                let valid = try unused?.answer(in: results) ?? []
                var seen = standing.live
                let new = asked.filter { one in
                    let hash = one.erasure.record.subjectHash
                    guard one.proof.map({ valid.contains($0.hash) }) ?? true else { return false }
                    return ended[hash, default: 0] == one.ended && seen.insert(hash).inserted
                }
                return new.isEmpty ? nil : try recording(new, terms, standing, after: head.answers(in: results).last)
            }
            return asked.map { accepted?[$0.erasure.id] }
        } catch let error as FarewellError where error.family != .tryAgain && asked.count == 1 {
            let isReused = try await control.requests.isKnown(asked[0].ticket).run(in: context.database)
            throw isReused ? Self.ticketReused : error
        }
    }

    /// The rest of the transaction. All of them are requested at one moment.
    private func recording(
        _ asked: [Asked], _ terms: AcceptanceTerms, _ standing: Standing, after head: SQLResult?
    ) throws -> (statements: [SQLStatement], answer: ([SQLResult]) throws -> [UUID: Accepted]) {
        guard let now = asked.map(\.erasure.record.requestedAt).max() else { return ([], { _ in [:] }) }
        let erasures = asked.map { one in
            var erasure = one.erasure
            erasure.record.requestedAt = now
            let isHeld = standing.holds[erasure.record.subjectHash] != nil
            if one.isHandedOver, !isHeld { erasure.record.claim(by: context.owner) }
            return erasure
        }
        let ids = erasures.map(\.id)
        let (recorded, acts) = recording(erasures.map(\.record), standing)
        var written = StatementParts()
        _ = written.add(recorded)
        let promises = written.add(control.requests.promise(for: ids, terms))
        _ = written.add(control.requests.hand(out: zip(asked, ids).map { ($0.ticket, $1) }))
        _ = written.add(
            zip(asked, ids).compactMap { one, id in one.proof.map { control.requests.use($0, for: id) } })
        _ = written.add([control.outbox.note(.requested, of: ids, at: now)])
        let claimed = erasures.filter { $0.record.owner != nil }
        // Their fences stand with acceptance.
        if !claimed.isEmpty { _ = written.add(control.close(claimed, at: now)) }
        _ = written.add(try context.audit.append(acts, after: head, actor: "service", at: now))
        return (
            written.statements,
            { results in
                let promised = try promises.answer(in: results)
                return Dictionary(
                    erasures.map { ($0.id, Accepted(record: $0.record, promise: promised[$0.id])) },
                    uniquingKeysWith: { $1 })
            }
        )
    }

    /// The ticket opens another erasure: its holder would hear of that one's end.
    static let ticketReused = FarewellError(
        "erasure.key-reused", .yoursToFix, "The ticket was used for another request.",
        remedy: "Create a new ticket for a new request.")
}

extension ErasureRecord {
    /// Claims a new erasure under a first lease.
    fileprivate mutating func claim(by owner: String) {
        (self.state, self.owner, attempts, epoch) = (.fenced, owner, 1, 1)
    }
}

extension ErasureContext {
    /// A new erasure of a subject: ours under the first lease if it begins at once, otherwise without a worker.
    ///
    /// - Parameter hash: The subject's, if it is known.
    func newErasure(
        _ subject: SealedSubject, hash: String? = nil, state: ErasureState, at now: Date
    ) -> OpenedErasure {
        let id = environment.makeIdentifier()
        let seal = keys.newSeal(run: id)
        var subject = subject
        subject.incarnation = incarnation(of: subject)
        subject.deepRows = options.deepScan.rows
        let record = ErasureRecord(
            id: id, state: state, cause: nil, requestedAt: now, finishedAt: nil, attempts: state.isBegun ? 1 : 0,
            owner: state.isBegun ? owner : nil, leaseUntil: nil, epoch: state.isBegun ? 1 : 0,
            subjectHash: hash ?? subjectHash(subject.key.value).rawValue, planFingerprint: prepared.planFingerprint,
            schemaFingerprint: prepared.schemaFingerprint, receipt: nil, wrappedKey: nil, sealed: nil)
        return OpenedErasure(record: record, subject: subject, seal: seal)
    }

    func subjectHashes(_ keys: [SQLValue]) -> [String] { keys.map { subjectHash($0).rawValue } }

    /// The step that begins with acceptance; none where other systems or files come first.
    var firstStep: String? {
        guard prepared.plan.systems(.first).isEmpty else { return nil }
        return prepared.plan.folders.isEmpty || prepared.plan.order.first != .files ? parts.first?.step : nil
    }

    /// Distinguishes this life of the key from a later one: the subject's own identifiers are part of it.
    func incarnation(of subject: SealedSubject) -> String {
        let values = Set(subject.identifiers).sorted().enumerated().map { ("\($0)", SQLValue.text($1)) }
        return keys.incarnationHash(
            table: prepared.plan.subject.table, key: subject.key.value.asSubject,
            values: Dictionary(values) { first, _ in first })
    }
}
