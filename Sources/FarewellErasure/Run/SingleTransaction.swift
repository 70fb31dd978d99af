// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// Erases small accounts in one transaction: resolved, erased, counted, read back, recorded. All of it happens, or
/// nothing does. The command and the workers use it alike.
///
/// Two round trips for one new subject, four for a group. All other cases are left to the step-by-step run, with
/// records before and after each step: an account with a great many rows or no row of its own, rows that reappear, a
/// database that refuses, a changed schema.
struct SingleTransaction: Sendable {
    private let context: ErasureContext
    private let accounts: any SmallAccounts

    /// Whether only rows are erased and read back, on a database that takes several transactions at once.
    static func isPossible(in context: ErasureContext) -> Bool {
        context.canLeaveWaiting && ErasureVerification(context: context).isReadingBack
            && !context.prepared.countsByStatements && !context.prepared.firesWithoutRows
            && context.parts.map(\.next) == [.verifying]
    }

    /// The transaction of some accounts; `nil` if they must be erased step by step: because the plan does not fit,
    /// because more than rows must be erased, or because no system empties a bucket. The steps report the cause.
    ///
    /// - Throws: An error of the database, which was asked for its buckets.
    static func admitted(
        _ accounts: any SmallAccounts, context: ErasureContext
    ) async throws -> SingleTransaction? {
        guard context.unfit == nil, isPossible(in: context),
            try await context.prepared.hasAllBuckets(in: context.database)
        else { return nil }
        return SingleTransaction(context: context, accounts: accounts)
    }

    private var control: ControlStore { context.control }
    private var prepared: PreparedPlan { context.prepared }
    /// The one step that there is.
    private var step: String { context.parts[0].step }

    /// Erases them, and returns when their ends are announced.
    ///
    /// - Returns: Those who have their receipts. All others must be erased step by step; none of their data was
    ///   changed.
    /// - Throws: An interruption, before anything is committed; an error of the database, if it is unknown whether the
    ///   transaction was.
    func erase() async throws -> [ErasureCompletion.Ending] {
        let (endings, announcement) = try await erase(after: nil)
        await announcement?.finished()
        return endings
    }

    /// Erases them while the ends of those before are announced.
    ///
    /// - Parameter before: Its receipts are delivered before anything is committed.
    /// - Returns: The same, and how their ends are announced.
    func erase(
        after before: Announcement?
    ) async throws -> (endings: [ErasureCompletion.Ending], announcement: Announcement?) {
        let endings: [ErasureCompletion.Ending]
        do {
            endings = try await run(after: before)
        } catch let lost as LostAnswer {
            endings = try await find(lost.endings)
        } catch is FarewellError {
            return ([], nil)
        }
        return (endings, endings.isEmpty ? nil : announcement(of: endings))
    }

    /// An error rolls the transaction back.
    private func run(after before: Announcement?) async throws -> [ErasureCompletion.Ending] {
        try await context.database.withConnection { connection in
            do {
                let isForOne = accounts.areNew && accounts.keys.count == 1 && needsNoKeys
                let erased: Erased?
                if isForOne, let statements = prepared.programForOne.singleTransaction {
                    // Its round trip takes the audit log's lock, which no process may hold while a file is written.
                    await before?.handedOut()
                    erased = try await eraseAtOnce(statements, on: connection)
                } else {
                    erased = try await eraseTogether(on: connection)
                }
                guard let erased else {
                    try await connection.run(control.rollback)
                    return []
                }
                await before?.handedOut()
                try await commit(erased, on: connection)
                return erased.endings
            } catch {
                context.note(error)
                _ = try? await connection.run(control.rollback)
                throw error
            }
        }
    }

    /// Whether one subject's captured keys need not be read into this process.
    private var needsNoKeys: Bool { accounts.areForgotten || prepared.programForOne.neededCaptures.isEmpty }

    // MARK: The round trips

    /// Accounts whose rows are deleted and read back in the open transaction.
    private struct Erased: Sendable {
        let endings: [ErasureCompletion.Ending]
        let entries: [LedgerEntry]
        /// The records, except for the audit log.
        let records: [SQLStatement]
        let at: Date
        /// The head of the audit log, once no other transaction can append to it.
        var head: SQLResult?
        /// The reading of the counters from before the changes, and the known changes.
        var changes: (before: SQLResult?, evidence: ChangeEvidence) = (nil, ChangeEvidence())
    }

    /// One new subject, all in one round trip; the receipt is made while the server makes sure that the plan still fits
    /// and reads back. `nil` when it must be done step by step.
    private func eraseAtOnce(
        _ statements: RowProgram.SingleTransaction, on connection: any SQLConnection
    ) async throws -> Erased? {
        let values = RowValues(subjects: accounts.keys, limit: SubjectResolver.bound)
        let deletes = CountedDeletes(of: values, in: prepared)
        let subjects = SubjectResolver(prepared: prepared).recognition(of: accounts.keys, isCapturing: false)
        var changes = StatementParts()
        let (found, answered) = (changes.add(subjects.statements), changes.add(accounts.questions))
        _ = changes.add(statements.keeping.map { $0.bound(values, dialect: .postgresql) })
        _ = changes.add([control.boundDeletes])
        let deleted = changes.add(deletes.statements)
        // A large account is erased in chunks: its rows would be deleted here in vain.
        let most = RowValues(
            subjects: accounts.keys, limit: min(context.options.largeAccount, SubjectResolver.bound) - 1)
        var guarded = guarded
        guarded[.questions] = [statements.sizing].compactMap { $0?.bound(most, dialect: .postgresql) }
        guarded[.changes] = changes.statements
        guarded[.schemaAgain] = [control.unboundDeletes] + prepared.guards(control)
        guarded[.readingBack] = [statements.readBack.bound(values, dialect: .postgresql)]
        guarded[.audit] = context.audit.head
        let (first, second) = (guarded.next(through: .changes), guarded.next(through: .audit))
        let (erased, answers) = try await connection.pipeline(first.statements, then: second.statements) {
            results -> Erased? in
            let changed = first.answers(of: .changes, in: results)
            let erasures = try answered.answer(in: changed)(subjects.found(in: found.answers(in: changed)))
            return try await completed(
                erasures, deletes, deleted.answers(in: changed),
                before: first.answers(of: .countersBefore, in: results).last)
        }
        var held = try checked(erased, guarded.watch, second, answers)
        held?.head = second.answers(of: .audit, in: answers).last
        return held
    }

    /// Several accounts, or claimed ones. Their receipts are made while the server reads back, and before the audit log
    /// is held. `nil` when it must be done step by step.
    private func eraseTogether(on connection: any SQLConnection) async throws -> Erased? {
        let subjects = SubjectResolver(prepared: prepared).recognition(of: accounts.keys, isCapturing: true)
        var questions = StatementParts()
        let (found, answered) = (questions.add(subjects.statements), questions.add(accounts.questions))
        var guarded = guarded
        guarded[.schema] = prepared.deferringKeys(control)
        guarded[.questions] = questions.statements
        let opening = guarded.next(through: .questions)
        let recognised = opening.answers(of: .questions, in: try await connection.pipeline(opening.statements))
        let erasures = try answered.answer(in: recognised)(subjects.found(in: found.answers(in: recognised)))
        // A large account is erased in chunks: its rows would be deleted here in vain.
        guard !erasures.isEmpty, erasures.allSatisfy({ $0.size < context.options.largeAccount }) else { return nil }
        let deletes = CountedDeletes(of: prepared.values(erasures), in: prepared)
        guarded[.changes] = [control.boundDeletes] + deletes.statements
        guarded[.schemaAgain] = [control.unboundDeletes, prepared.schemaGuard]
        guarded[.readingBack] = ReadBack(prepared: prepared).statements(about: erasures)
        let (first, second) = (guarded.next(through: .changes), guarded.next(through: .readingBack))
        let (erased, answers) = try await connection.pipeline(first.statements, then: second.statements) {
            results -> Erased? in
            let deleted = first.answers(of: .changes, in: results).dropFirst()
            let before = first.answers(of: .countersBefore, in: results).last
            return try await completed(erasures, deletes, deleted, before: before)
        }
        return try checked(erased, guarded.watch, second, answers)
    }

    /// The phases that are alike for one account and for several. No other transaction begins with one of the subjects
    /// until this one ends. The schema is checked once, after the changes, because nothing is committed before.
    private var guarded: GuardedChanges {
        var guarded = GuardedChanges(prepared)
        guarded[.turn] = control.openSingleTransaction(alone: context.isAlone(of: accounts.keys.count))
        guarded[.lease] = accounts.holding
        guarded[.deferredKeys] = prepared.checkedKeys(control)
        return guarded
    }

    /// The records of accounts whose rows were deleted; `nil` when they must be erased step by step.
    ///
    /// - Parameters:
    ///   - answers: Those of the deletes.
    ///   - before: The reading of the counters from before the changes.
    private func completed(
        _ erasures: [OpenedErasure], _ deletes: CountedDeletes, _ answers: ArraySlice<SQLResult>, before: SQLResult?
    ) async throws -> Erased? {
        let counts = deletes.counts(of: erasures, answers, largeAccount: context.options.largeAccount)
        var erased = try await completed(erasures, counts)
        erased?.changes = (before, deletes.evidence(answers))
        return erased
    }

    /// The same accounts, if nothing is left of them and only the predicted rows have changed.
    ///
    /// - Parameter answers: Those of the round trip after the changes.
    private func checked(
        _ erased: Erased?, _ watch: ChangeGuard, _ second: GuardedChanges.RoundTrip, _ answers: [SQLResult]
    ) throws -> Erased? {
        guard let erased, ReadBack.leftovers(second.answers(of: .readingBack, in: answers)).isEmpty else { return nil }
        let after = second.answers(of: .countersAfter, in: answers).last
        try watch.require(erased.changes.evidence, from: erased.changes.before, to: after)
        return erased
    }

    /// - Parameter counts: If something is left of them after all, their receipts are never issued.
    private func completed(_ erasures: [OpenedErasure], _ counts: [UUID: [String: Int]]?) async throws -> Erased? {
        guard let counts else { return nil }
        let completion = ErasureCompletion(
            context: context, erasures: erasures, counts: counts.mapValues { [step: $0] })
        if completion.countsFromToday { try context.clock.requireTrustedBefore() }
        let now = context.endTime(of: erasures)
        let places = ReadBack(prepared: prepared).places
        let endings = try await completion.endings(
            GroupVerification(shared: .init(readBack: .init(places: places, rowsLeft: 0))), at: now)
        let entries = completion.entries(at: now)
        let begunAt = erasures.first?.record.requestedAt ?? now
        let records =
            try accounts.records(of: endings, at: now)
            + [control.steps.record(step: step, counts: counts, begunAt: begunAt, at: now)]
            + control.enter(entries) + RetentionKeeping(context: context).statements(endings)
        return Erased(endings: endings, entries: entries, records: records, at: now)
    }

    /// Records everything and ends the transaction.
    ///
    /// The ledger is written before, and reaches its disk while the server works. Once the commit is sent, no
    /// interruption stops it: otherwise the outcome would be unknown.
    private func commit(_ erased: Erased, on connection: any SQLConnection) async throws {
        try Task.checkCancellation()
        let volume = try LedgerFailure.passing { try context.ledger.add(erased.entries, .begun) }
        // Where the audit log is held already, they are one statement with its own; else they come before its lock.
        let after = erased.head == nil ? [] : erased.records
        let head =
            if let head = erased.head { head } else {
                try await connection.pipeline(before(erased.records) + context.audit.head).last
            }
        let appended = try context.audit.append(acts(erased), after: head, actor: "engine", at: erased.at)
        do {
            // Should the file fail now, the database's own copy of the ledger has the lines.
            _ = try await connection.finish([.atOnce(after + appended), control.commit]) {
                try context.ledger.sync(volume)
            }
        } catch {
            throw LostAnswer(endings: erased.endings)
        }
        context.confirm(erased.endings)
    }

    /// Those of new erasures are one statement.
    private func before(_ records: [SQLStatement]) -> [SQLStatement] {
        accounts.areNew ? [.atOnce(records)] : records
    }

    /// The entries of the erased subjects for the audit log.
    private func acts(_ erased: Erased) -> [AuditLog.Act] {
        let accepted = erased.endings.map { ending in
            var act = Acceptance.act(ending.erasure.record)
            act.actor = accounts.requester
            return act
        }
        return (accounts.areNew ? accepted : []) + erased.endings.map(\.act)
    }

    // MARK: After the transaction

    /// The commit was sent, and the answer was an error or none: it may have happened.
    private struct LostAnswer: Error {
        let endings: [ErasureCompletion.Ending]
    }

    /// The recorded endings of a commit without an answer: all of them or none.
    private func find(_ endings: [ErasureCompletion.Ending]) async throws -> [ErasureCompletion.Ending] {
        let records = try await context.database.withConnection { connection in
            let questions = endings.map { control.requests.find($0.erasure.id) }
            let results = try await connection.pipeline(questions.map(\.statement))
            return try zip(questions, results).flatMap { try $0.answer($1) }
        }
        guard records.count == endings.count, records.allSatisfy({ $0.state == .done }) else { return [] }
        context.confirm(endings)
        return endings
    }

    /// Observers hear of it when nothing is held any longer, and may take their time.
    private func announcement(of endings: [ErasureCompletion.Ending]) -> Announcement {
        let first: [ErasureProgress.Event] = accounts.areNew ? [.accepted] : []
        let events = first + [.began(step: step), .finished(step: step), .verified, .entered, .done]
        return Announcement {
            await context.issued(endings)
        } notifying: {
            for ending in endings {
                for event in events { await context.observe(ErasureProgress(erasure: ending.erasure.id, event: event)) }
            }
        }
    }
}
