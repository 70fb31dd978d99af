// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// Carries out what a worker has claimed and closed, in one transaction for all of it: looked up, erased, counted,
/// read back, recorded. All of it happens, or nothing does.
///
/// Whatever does not go so smoothly is left to be done step by step, each recorded before and after: somebody with a
/// great many rows or none, rows that reappear, a database that refuses, a schema that has changed.
struct SingleTransactionBatch: Sendable {
    private let transaction: SingleTransaction
    private let rules: ServiceRules

    /// What became of the members.
    struct Answer: Sendable {
        var outcomes: [ErasureOutcome] = []
        /// Those who are to be erased step by step.
        var rest: [ErasureMember]
    }

    init?(context: ErasureContext, rules: ServiceRules) {
        guard let transaction = SingleTransaction(context: context) else { return nil }
        self.transaction = transaction
        self.rules = rules
    }

    private var context: ErasureContext { transaction.context }
    private var control: ControlStore { context.control }

    func erase(_ members: [ErasureMember]) async -> Answer {
        let ended: [ErasureCompletion.Ending]
        do {
            ended = try await transaction.run { try await erase(members, on: $0) }
        } catch let lost as SingleTransaction.LostAnswer {
            ended = await found(lost.endings)
        } catch {
            return Answer(rest: members)
        }
        await transaction.tell(ended)
        let done = Set(ended.map(\.member.id))
        return Answer(
            outcomes: ended.map { .done($0.receipt, signed: $0.signed) },
            rest: members.filter { !done.contains($0.id) })
    }

    private func found(_ endings: [ErasureCompletion.Ending]) async -> [ErasureCompletion.Ending] {
        let records = try? await context.database.withConnection { connection in
            try await connection.pipeline(endings.map { control.find($0.member.id) })
                .flatMap(\.rows).map(ErasureRecord.init(row:))
        }
        // All of them or none.
        let areDone = records?.count == endings.count && records?.allSatisfy { $0.state == .done } == true
        if areDone { context.confirm(endings) }
        return areDone ? endings : []
    }

    // MARK: The round trips

    private func erase(
        _ claimed: [ErasureMember], on connection: any SQLConnection
    ) async throws -> [ErasureCompletion.Ending] {
        let members = try await recognised(claimed, on: connection)
        guard !members.isEmpty, let erased = try await erasedRows(of: members, on: connection) else {
            try await connection.run(control.rollback)
            return []
        }
        try await commit(erased, on: connection)
        return erased.endings
    }

    /// People whose rows are gone, and read back, in the transaction that is open.
    private struct Erased {
        let endings: [ErasureCompletion.Ending]
        let entries: [LedgerEntry]
        let counts: [UUID: [String: Int]]
        let at: Date
    }

    /// Those of whom their own row is still there, with what there is of them now. They are still ours, and nobody
    /// takes one over until the transaction ends.
    private func recognised(
        _ claimed: [ErasureMember], on connection: any SQLConnection
    ) async throws -> [ErasureMember] {
        let opening =
            control.openSingleTransaction(alone: context.isAlone(of: claimed.count)) + context.prepared.guards(control)
            + control.awaitWriters(for: claimed)
            + [control.guardLease(claimed, owner: context.owner, state: .fenced)]
        let questions = SubjectResolver(prepared: context.prepared).recognition(
            of: claimed.map(\.subject.key.value), isCapturing: true)
        let given = control.receiptsGiven(to: claimed)
        let results = try await connection.pipeline(opening + questions.statements + [given])
        let found = questions.found(in: results.dropFirst(opening.count))
        return context.receivingOthers(claimed, where: results.last).compactMap { member in
            found[member.subject.key.value].map { member.renewed($0, under: context.prepared) }
        }
    }

    /// Deletes the rows, makes the receipts while the server reads back; `nil` when it must be done step by step.
    private func erasedRows(of members: [ErasureMember], on connection: any SQLConnection) async throws -> Erased? {
        let deletes = CountedDeletes(of: context.prepared.values(members), in: context.prepared)
        let questions = ReadBack(prepared: context.prepared).statements(about: members)
        let checks = transaction.check + questions
        let (erased, answers) = try await connection.pipeline(deletes.statements, then: checks) { results -> Erased? in
            guard let counts = deletes.counts(of: members, results, context) else { return nil }
            let now = context.endTime(of: members)
            let (endings, entries) = try await transaction.completed(members, counts, at: now)
            return Erased(endings: endings, entries: entries, counts: counts, at: now)
        }
        // Should something be left nobody ever sees the receipts.
        return ReadBack.leftovers(answers.suffix(questions.count)).isEmpty ? erased : nil
    }

    /// Records everything and ends the transaction, the fences with it. The ledger's file has its lines before.
    private func commit(_ erased: Erased, on connection: any SQLConnection) async throws {
        let (endings, counts, entries, now) = (erased.endings, erased.counts, erased.entries, erased.at)
        let ids = endings.map(\.member.id)
        var statements = try keeping(endings.map(\.member))
        statements += control.end(endings.map { ($0.member, $0.signed) }, owner: context.owner, at: now)
        statements.append(
            control.record(
                step: transaction.step, counts: counts, begunAt: endings.first?.member.record.requestedAt ?? now,
                at: now))
        statements += try control.enter(entries) + RetentionKeeping(context: context).statements(endings)
        statements += [control.note(.begun, of: ids, at: now), control.open(ids)]
        try Task.checkCancellation()
        let volume = try context.ledger.add(entries, .begun)
        let head = try await connection.pipeline(statements + context.audit.head).last
        let audited = try context.audit.append(endings.map(\.act), after: head, actor: "engine", at: now)
        do {
            // Once sent, nobody's interruption stops it: else nobody would know whether it happened. Should the file
            // fail now, the database's own copy of the ledger has the lines.
            _ = try await connection.finish(audited + [control.commit]) { try context.ledger.sync(volume) }
        } catch {
            throw SingleTransaction.LostAnswer(endings: endings)
        }
        context.confirm(endings)
    }

    private func keeping(_ members: [ErasureMember]) throws -> [SQLStatement] {
        let sealed = try members.map { ($0.id, try SubjectSeal.sealed($0.subject, under: $0.seal)) }
        return [
            control.keep(
                sealed, lookAfter: rules.secondLook > 0 ? rules.secondLook : nil,
                atMost: ServiceRules.longestRetainedIdentity)
        ]
    }
}

extension ErasureMember {
    /// The same under the plan of today, with what there is of the person now.
    func renewed(_ found: SealedSubject?, under prepared: PreparedPlan) -> ErasureMember {
        var renewed = self
        renewed.record.state = .running
        renewed.record.planFingerprint = prepared.planFingerprint
        renewed.record.schemaFingerprint = prepared.schemaFingerprint
        if let found { renewed.subject = subject.renewed(by: found) }
        // Nothing was touched yet: which rows stay is what is found now. A key may have become somebody else's
        // meanwhile.
        for name in prepared.ownKeyNames { renewed.subject.capturedKeys?[name] = found?.capturedKeys?[name] }
        return renewed
    }
}
