// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// Takes people in: finds out what there is of them, seals it, and records the erasures before anything happens.
struct ErasureAcceptance: Sendable {
    let context: ErasureContext

    /// What became of the people asked for.
    struct Answer: Sendable {
        var accepted: [ErasureMember] = []
        /// Those who have a live erasure already, and those whose new one is held.
        var running: [(key: SQLValue, hash: String)] = []
        /// Those of whom nothing is there.
        var unknown: [SQLValue] = []
    }

    func accept(_ keys: [SQLValue]) async throws -> Answer {
        try await context.database.withConnection { connection in
            do {
                return try await accept(keys, on: connection)
            } catch let error as FarewellError where error.family != .tryAgain {
                _ = try? await connection.run(context.control.rollback)
                // A column or table that is gone is told as what it is: another schema than the plan was held against.
                throw try await context.prepared.isCurrent(on: connection) ? error : GuardFailure.schemaChanged
            }
        }
    }

    /// Whoever is asked for elsewhere at this moment is waited for: nobody is accepted whom somebody else is just
    /// erasing. SQLite has one who writes at a time; on PostgreSQL the subjects are held, and everything is sealed
    /// before anybody has to wait for the right to append to the audit log.
    private func accept(_ keys: [SQLValue], on connection: any SQLConnection) async throws -> Answer {
        let control = context.control
        let beginning = [control.begin] + (context.canLeaveWaiting ? [control.leaveWaiting] : [])
        var holding: [SQLStatement] = []
        if context.database.dialect == .postgresql {
            holding = beginning + [control.boundWaiting, control.hold(subjectHashes: context.subjectHashes(keys))]
        } else {
            _ = try await connection.pipeline(beginning)
        }
        let found = try await SubjectResolver(prepared: context.prepared).resolve(
            keys, .recognised, after: holding, on: connection)
        let unknown = keys.filter { found[$0] == nil }
        let now = context.environment.now()
        let members = try keys.compactMap { found[$0] }.map { try member($0, at: now) }
        guard !members.isEmpty else {
            try await connection.run(control.rollback)
            return Answer(unknown: unknown)
        }
        let hashes = members.map(\.record.subjectHash)
        let opened = try await connection.pipeline(
            context.audit.head + [control.held(subjectHashes: hashes), control.live(subjectHashes: hashes)])
        var answer = try await record(members, opened, on: connection)
        answer.unknown = unknown
        return answer
    }

    /// The rest of the transaction: the erasures, their first step where it follows at once, and the audit log. A
    /// subject that has a live erasure keeps that one. Whose last erasure was held when it was cancelled has the new
    /// one held, which nobody begins with.
    private func record(
        _ members: [ErasureMember], _ opened: [SQLResult], on connection: any SQLConnection
    ) async throws -> Answer {
        let control = context.control
        let live = Set(opened.last?.rows.compactMap { $0.first?.text } ?? [])
        var answer = Answer()
        answer.running = members.filter { live.contains($0.record.subjectHash) }.map {
            ($0.subject.key.value, $0.record.subjectHash)
        }
        let accepted = members.filter { !live.contains($0.record.subjectHash) }
        let holds = try LeftHold.bySubject(opened.dropLast().last)
        let held = accepted.filter { holds[$0.record.subjectHash] != nil }
        answer.running += held.map { (key: $0.subject.key.value, hash: $0.record.subjectHash) }
        answer.accepted = accepted.filter { holds[$0.record.subjectHash] == nil }
        let now = context.environment.now()
        var acts = accepted.map {
            AuditLog.Act(act: "erasure.accepted", erasure: $0.id, subjectHash: $0.record.subjectHash)
        }
        var statements = control.accept(accepted.map(\.record))
        for member in held {
            guard let hold = holds[member.record.subjectHash] else { continue }
            acts.append(hold.act(on: member.id, subjectHash: member.record.subjectHash))
            statements += hold.statements(on: member.id, control)
        }
        statements += try context.audit.append(acts, after: opened.dropLast(2).last, actor: "engine", at: now)
        if let step = context.firstStep, !answer.accepted.isEmpty {
            statements += control.begin(step: step, of: answer.accepted.map(\.id), at: now)
        }
        _ = try await connection.pipeline(statements + [control.commit])
        return answer
    }

    private func member(_ subject: SealedSubject, at now: Date) throws -> ErasureMember {
        var member = context.newMember(subject, state: .running, at: now)
        member.record.wrappedKey = Array(try member.seal.wrappedKey())
        member.record.sealed = try SubjectSeal.sealed(member.subject, under: member.seal)
        return member
    }
}

extension ErasureContext {
    /// A new erasure of somebody, ours under the first lease.
    ///
    /// - Parameter hash: The subject's, where it is known.
    func newMember(
        _ subject: SealedSubject, hash: String? = nil, state: ErasureState, at now: Date
    ) -> ErasureMember {
        let id = environment.makeIdentifier()
        var subject = subject
        subject.incarnation = incarnation(of: subject)
        let record = ErasureRecord(
            id: id, state: state, cause: nil, requestedAt: now, finishedAt: nil, attempts: 1, owner: owner,
            leaseUntil: nil, epoch: 1, subjectHash: hash ?? subjectHash(subject.key.value).rawValue,
            planFingerprint: prepared.planFingerprint, schemaFingerprint: prepared.schemaFingerprint, receipt: nil,
            wrappedKey: nil, sealed: nil)
        return ErasureMember(record: record, subject: subject, seal: keys.newSeal(run: id))
    }

    func subjectHashes(_ keys: [SQLValue]) -> [String] { keys.map { subjectHash($0).rawValue } }

    /// The step that begins with acceptance; none where other systems or files come first.
    var firstStep: String? {
        guard prepared.plan.systems(.first).isEmpty else { return nil }
        return prepared.plan.folders.isEmpty || prepared.plan.order.first != .files ? parts.first?.step : nil
    }

    /// Tells this life of the key from a later one: the person's own identifiers are part of it.
    func incarnation(of subject: SealedSubject) -> String {
        let values = Set(subject.identifiers).sorted().enumerated().map { ("\($0)", SQLValue.text($1)) }
        return keys.incarnationHash(
            table: prepared.plan.subject.table, key: subject.key.value.asSubject,
            values: Dictionary(values) { first, _ in first })
    }
}

/// Seals and opens what a run remembers of the person.
enum SubjectSeal {
    static func sealed(_ subject: SealedSubject, under seal: RunSeal) throws -> [UInt8] {
        Array(try seal.seal(try JSONEncoder().encode(subject)))
    }

    static func opened(_ record: ErasureRecord, keys: KeyStore) throws -> ErasureMember {
        guard let wrapped = record.wrappedKey, let sealed = record.sealed else {
            throw FarewellError(
                "seal.unreadable", .ours, "What was sealed for erasure \(record.id.text) is missing."
            )
        }
        let seal = try keys.seal(run: record.id, wrappedKey: Data(wrapped))
        let subject = try JSONDecoder().decode(SealedSubject.self, from: try seal.open(Data(sealed)))
        return ErasureMember(record: record, subject: subject, seal: seal)
    }
}
