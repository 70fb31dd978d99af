// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// Takes people in: finds out what there is of them, seals it, and records the erasures before anything happens.
struct ErasureAcceptance: Sendable {
    let context: ErasureContext

    /// What became of the people asked for.
    struct Answer: Sendable {
        var accepted: [ErasureMember] = []
        /// Those who have a live erasure already.
        var running: [(key: SQLValue, hash: String)] = []
        /// Those of whom nothing is there.
        var unknown: [SQLValue] = []
    }

    func accept(_ keys: [SQLValue]) async throws -> Answer {
        try await context.database.withConnection { connection in
            let found = try await resolve(keys, on: connection)
            var answer = Answer()
            var members: [ErasureMember] = []
            for key in keys {
                if let subject = found[key] {
                    members.append(try member(subject))
                } else {
                    answer.unknown.append(key)
                }
            }
            guard !members.isEmpty else { return answer }
            let taken = try await record(members, on: connection)
            answer.accepted = members.filter { taken.contains($0.id) }
            answer.running = members.filter { !taken.contains($0.id) }.map {
                ($0.subject.key.value, $0.record.subjectHash)
            }
            return answer
        }
    }

    /// A column or table that is gone is told as what it is: another schema than the plan was held against.
    private func resolve(_ keys: [SQLValue], on connection: any SQLConnection) async throws -> [SQLValue: SealedSubject]
    {
        do {
            return try await SubjectResolver(prepared: context.prepared).resolve(keys, on: connection)
        } catch let error as FarewellError where error.family != .tryAgain {
            throw try await context.prepared.isCurrent(on: connection) ? error : GuardFailure.schemaChanged
        }
    }

    private func member(_ subject: SealedSubject) throws -> ErasureMember {
        let id = context.environment.makeIdentifier()
        let seal = try context.keys.newSeal(run: id)
        var subject = subject
        subject.incarnation = context.incarnation(of: subject)
        let record = ErasureRecord(
            id: id, state: .running, cause: nil, requestedAt: context.environment.now(), finishedAt: nil, attempts: 1,
            owner: context.owner, leaseUntil: nil, epoch: 1,
            subjectHash: context.subjectHash(subject.key.value).rawValue,
            planFingerprint: context.prepared.planFingerprint, schemaFingerprint: context.prepared.schemaFingerprint,
            receipt: nil, wrappedKey: Array(seal.wrappedKey), sealed: try SubjectSeal.sealed(subject, under: seal))
        return ErasureMember(record: record, subject: subject, seal: seal)
    }

    /// One transaction: the erasures, their first step where it follows at once, and the audit log.
    private func record(_ members: [ErasureMember], on connection: any SQLConnection) async throws -> Set<UUID> {
        let control = context.control
        let now = context.environment.now()
        let head = context.audit.head
        let results = try await connection.pipeline([control.begin] + head + control.accept(members.map(\.record)))
        let taken = Set(results.dropFirst(1 + head.count).compactMap { $0.scalar?.identifier })
        let acts = members.filter { taken.contains($0.id) }.map {
            AuditLog.Act(act: "erasure.accepted", erasure: $0.id, subjectHash: $0.record.subjectHash)
        }
        var statements = try context.audit.append(acts, after: results[head.count], actor: "engine", at: now)
        if let step = context.firstStep {
            statements += control.begin(step: step, of: acts.compactMap(\.erasure), at: now)
        }
        _ = try await connection.pipeline(statements + [control.commit])
        return taken
    }
}

extension ErasureContext {
    /// The step that begins with acceptance; none where files come first.
    var firstStep: String? {
        prepared.plan.folders.isEmpty || prepared.plan.order.first != .files ? parts.first?.step : nil
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
                "seal.unreadable", .ours, "What was sealed for erasure \(record.id.uuidString.lowercased()) is missing."
            )
        }
        let seal = try keys.seal(run: record.id, wrappedKey: Data(wrapped))
        let subject = try JSONDecoder().decode(SealedSubject.self, from: try seal.open(Data(sealed)))
        return ErasureMember(record: record, subject: subject, seal: seal)
    }
}
