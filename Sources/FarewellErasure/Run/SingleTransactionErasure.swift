// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// Erases small accounts in one transaction, from their being asked for to the receipt: recognised, erased, counted,
/// read back, recorded. All of it happens, or nothing does.
///
/// Two round trips for one person, four for a group. Whatever does not go so smoothly is left to be done step by step,
/// each recorded before and after: somebody with a great many rows, rows that reappear, a database that refuses, a
/// schema that has changed.
struct SingleTransactionErasure: Sendable {
    private let transaction: SingleTransaction

    /// What became of the people asked for.
    struct Answer: Sendable {
        var outcomes: [ErasureOutcome] = []
        /// Those who are to be erased step by step.
        var rest: [SQLValue] = []
    }

    init?(context: ErasureContext) {
        guard let transaction = SingleTransaction(context: context) else { return nil }
        self.transaction = transaction
    }

    private var context: ErasureContext { transaction.context }

    func erase(_ keys: [SQLValue]) async throws -> Answer {
        let ended: Ended
        do {
            ended = try await transaction.run { try await erase(keys, on: $0) }
        } catch let lost as SingleTransaction.LostAnswer {
            ended = try await find(lost.endings, among: keys)
        } catch is FarewellError {
            return Answer(rest: keys)
        }
        await transaction.tell(ended.endings, after: [.accepted])
        return Answer(outcomes: ended.endings.map { .done($0.receipt, signed: $0.signed) }, rest: ended.rest)
    }

    /// Erasures that have come to their end, and those who are left.
    private struct Ended {
        var endings: [ErasureCompletion.Ending] = []
        var rest: [SQLValue]
    }

    private func find(_ endings: [ErasureCompletion.Ending], among keys: [SQLValue]) async throws -> Ended {
        let found = try await context.database.withConnection { connection in
            try await connection.pipeline(endings.map { context.control.find($0.member.id) })
        }
        // All of them or none.
        guard found.allSatisfy({ !$0.rows.isEmpty }) else { return Ended(rest: keys) }
        context.confirm(endings)
        let ended = Set(endings.map(\.member.subject.key.value))
        return Ended(endings: endings, rest: keys.filter { !ended.contains($0) })
    }

    private func erase(_ keys: [SQLValue], on connection: any SQLConnection) async throws -> Ended {
        let isAtOnce = keys.count == 1 && context.prepared.programForOne.singleTransaction != nil
        guard let erased = try await isAtOnce ? eraseAtOnce(keys, on: connection) : eraseTogether(keys, on: connection)
        else {
            try await connection.run(context.control.rollback)
            return Ended(rest: keys)
        }
        try await commit(erased, on: connection)
        return Ended(endings: erased.endings, rest: erased.rest)
    }

    // MARK: The round trips

    /// People whose rows are gone, and read back, in the transaction that is open.
    private struct Erased {
        let endings: [ErasureCompletion.Ending]
        let entries: [LedgerEntry]
        /// What is written of them, but for the audit log: made before anybody else waits for that.
        let records: [SQLStatement]
        let at: Date
        /// What the audit log's head is, once nobody else can build on it until the transaction ends.
        var head: SQLResult?
        var rest: [SQLValue] = []

        /// What the audit log says of them.
        var acts: [AuditLog.Act] {
            let accepted = endings.map {
                AuditLog.Act(act: "erasure.accepted", erasure: $0.member.id, subjectHash: $0.member.record.subjectHash)
            }
            return accepted + endings.map(\.act)
        }
    }

    /// One person, all in one round trip; the receipt is made while the server makes sure that the plan still fits and
    /// reads back. `nil` when it must be done step by step.
    private func eraseAtOnce(_ keys: [SQLValue], on connection: any SQLConnection) async throws -> Erased? {
        guard let singleTransaction = context.prepared.programForOne.singleTransaction else { return nil }
        let values = RowValues(subjects: keys, limit: SubjectResolver.bound)
        let asked = Questions(about: keys, isCapturing: false, context)
        let keeping = singleTransaction.keeping.map { $0.bound(values, dialect: .postgresql) }
        let deletes = CountedDeletes(of: values, in: context.prepared)
        let opening = asked.opening
        let erasing = opening + asked.statements + keeping + deletes.statements
        let readBack = singleTransaction.readBack.bound(values, dialect: .postgresql)
        let checks = context.prepared.guards(context.control) + transaction.check + [readBack]
        let (erased, answers) = try await connection.pipeline(erasing, then: checks + context.audit.head) {
            results -> Erased? in
            let members = asked.members(results.dropFirst(opening.count))
            let counts = deletes.counts(of: members, results.suffix(deletes.statements.count), context)
            return try await completed(members, counts)
        }
        guard var erased, ReadBack.leftovers(answers[checks.count - 1]).isEmpty else { return nil }
        erased.head = answers.last
        return erased
    }

    /// Several people. Their receipts are made while the server reads back, and before the audit log is held. `nil`
    /// when it must be done step by step.
    private func eraseTogether(_ keys: [SQLValue], on connection: any SQLConnection) async throws -> Erased? {
        let asked = Questions(about: keys, isCapturing: true, context)
        let opening = asked.opening + context.prepared.guards(context.control)
        let members = asked.members(
            try await connection.pipeline(opening + asked.statements).dropFirst(opening.count))
        guard !members.isEmpty else { return nil }
        let deletes = CountedDeletes(of: context.prepared.values(members), in: context.prepared)
        let questions = ReadBack(prepared: context.prepared).statements(about: members)
        let checks = transaction.check + questions
        let (erased, answers) = try await connection.pipeline(deletes.statements, then: checks) { results -> Erased? in
            try await completed(members, deletes.counts(of: members, results, context))
        }
        guard var erased, ReadBack.leftovers(answers.suffix(questions.count)).isEmpty else { return nil }
        let taken = Set(members.map(\.subject.key.value))
        erased.rest = keys.filter { !taken.contains($0) }
        return erased
    }

    /// - Parameter counts: Should something be left of them after all, nobody ever sees their receipts.
    private func completed(_ members: [ErasureMember], _ counts: [UUID: [String: Int]]?) async throws -> Erased? {
        guard let counts else { return nil }
        let now = context.endTime(of: members)
        let (endings, entries) = try await transaction.completed(members, counts, at: now)
        let control = context.control
        let begunAt = members.first?.record.requestedAt ?? now
        let records =
            control.record(endings.map { ($0.member, $0.signed) }, at: now)
            + [control.record(step: transaction.step, counts: counts, begunAt: begunAt, at: now)]
            + (try control.enter(entries)) + (try RetentionKeeping(context: context).statements(endings))
        return Erased(endings: endings, entries: entries, records: records, at: now)
    }

    /// What is asked about people before their rows go: what there is of them, and whether they have a live erasure.
    private struct Questions {
        let context: ErasureContext
        let keys: [SQLValue]
        let hashes: [String]
        let people: SubjectQuestions

        init(about keys: [SQLValue], isCapturing: Bool, _ context: ErasureContext) {
            self.context = context
            self.keys = keys
            hashes = context.subjectHashes(keys)
            people = SubjectResolver(prepared: context.prepared).recognition(of: keys, isCapturing: isCapturing)
        }

        /// How the transaction begins. Nobody else begins with one of the people until it ends.
        var opening: [SQLStatement] {
            context.control.openSingleTransaction(alone: context.isAlone(of: keys.count))
                + [context.control.hold(subjectHashes: hashes)]
        }

        var statements: [SQLStatement] {
            people.statements + [
                context.control.live(subjectHashes: hashes), context.control.held(subjectHashes: hashes),
            ]
        }

        /// Those of whom there is something and who have neither a live erasure nor a hold left by one.
        ///
        /// - Parameter answers: The statements' results; more may follow.
        func members(_ answers: ArraySlice<SQLResult>) -> [ErasureMember] {
            let found = people.found(in: answers)
            let others = answers.dropFirst(people.statements.count).prefix(2).flatMap(\.rows)
            let barred = Set(others.compactMap { $0.first?.text })
            let now = context.environment.now()
            return zip(keys, hashes).filter { !barred.contains($0.1) }.compactMap { key, hash in
                found[key].map { context.newMember($0, hash: hash, state: .running, at: now) }
            }
        }
    }

    /// Records everything and ends the transaction.
    ///
    /// The ledger is written before, and reaches its disk while the server works.
    /// Once sent, nobody's interruption stops it: else nobody would know whether it happened.
    private func commit(_ erased: Erased, on connection: any SQLConnection) async throws {
        try Task.checkCancellation()
        let volume = try context.ledger.add(erased.entries, .begun)
        let head = if let head = erased.head { head } else { try await connection.pipeline(context.audit.head).last }
        let appended = try context.audit.append(erased.acts, after: head, actor: "engine", at: erased.at)
        let recorded = SQLStatement.atOnce(erased.records + appended)
        do {
            // Should the file fail now, the database's own copy of the ledger has the lines.
            _ = try await connection.finish([recorded, context.control.commit]) { try context.ledger.sync(volume) }
        } catch {
            throw SingleTransaction.LostAnswer(endings: erased.endings)
        }
        context.confirm(erased.endings)
    }
}
