// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Erasures whose callers wait: their acceptance, the ends of the subjects' sessions, the rows and the records are one
/// transaction.
///
/// It takes only requests about which the control store knows nothing: no erasure of the subject, so no hold either,
/// and no ticket for the idempotency key. If this is not so of one of them, or if the transaction fails or would wait
/// for another one, nothing happens, and all are accepted on their own.
struct AwaitedErasures: SmallAccounts {
    let context: ErasureContext
    let rules: ServiceRules
    /// At most one of each subject.
    let awaited: [AwaitedErasure]
    /// Ends the subjects' sessions.
    let closing: [SQLStatement]

    private var control: ControlStore { context.control }
    private var hashes: [String] { awaited.map(\.hash.rawValue) }

    var keys: [SQLValue] { awaited.map(\.key) }
    var areNew: Bool { true }
    /// The second look needs them.
    var areForgotten: Bool { false }
    var requester: String { "service" }

    /// Other requests about the subjects wait, and so do other programs' writes. The sessions end before any row of the
    /// subjects is read.
    var holding: [SQLStatement] {
        [control.waitBriefly] + control.awaitWriters(of: keys)
            + [control.requests.hold(subjectHashes: hashes), control.requests.requireUnknown(subjectHashes: hashes)]
            + closing
    }

    /// All of the erasures or none: the sessions of all subjects have ended in this transaction.
    var questions: StoreQueries<Selection> {
        var asked = StatementParts()
        let issued = asked.add(control.requests.issued(keyHashes: awaited.compactMap(\.keyHash)))
        let unused = proofs.isEmpty ? nil : asked.add(control.requests.unused(proofs))
        return StoreQueries(asked.statements) { answers -> Selection in
            let results = Array(answers)
            let issued = try issued.answer(in: results)
            let valid = try unused?.answer(in: results) ?? []
            let areValid = awaited.allSatisfy { one in
                one.keyHash.flatMap { issued[$0] } == nil && one.proof.map { valid.contains($0.hash) } ?? true
            }
            return { found in areValid && awaited.allSatisfy { found[$0.key] != nil } ? erasures(found) : [] }
        }
    }

    private var proofs: [ProofRecord] { awaited.compactMap(\.proof) }

    private func erasures(_ found: [SQLValue: SealedSubject]) -> [OpenedErasure] {
        let now = context.environment.now()
        return awaited.compactMap { one in
            found[one.key].map { subject in
                var subject = subject
                subject.tokenLife = one.request.tokenLife
                return context.newErasure(subject, hash: one.hash.rawValue, state: .running, at: now)
            }
        }
    }

    /// The records of an acceptance, and of its end.
    func records(of endings: [ErasureCompletion.Ending], at now: Date) throws -> [SQLStatement] {
        let ids = endings.map(\.erasure.id)
        let requested = endings.compactMap { ending in request(of: ending).map { ($0, ending.erasure.id) } }
        let tickets = requested.map { request, id in (record(of: request, id), id) }
        let kept = try endings.map { ending in
            IdentityStore.Kept(
                erasure: ending.erasure.id, wrappedKey: Array(try ending.erasure.seal.wrappedKey()),
                sealed: try SubjectSeal.sealed(ending.erasure.subject, under: ending.erasure.seal))
        }
        let keeping = control.identities.keep(
            kept, lookAfter: rules.lookAfter(endings.map(\.erasure.subject)),
            atMost: ServiceRules.longestRetainedIdentity)
        return control.requests.insert(endings.map { $0.record(at: now) })
            + [control.requests.promise(forDone: ids, dueAt: dueAt(now)), keeping]
            + control.requests.hand(outNew: tickets)
            + requested.compactMap { request, id in request.proof.map { control.requests.use($0, for: id) } }
            + control.outbox.note([.requested, .begun, .done], ofNew: ids, at: now)
    }

    private func dueAt(_ end: Date) -> Date { end.addingTimeInterval(TimeInterval(rules.dueDays) * 86_400) }

    /// The promise that is recorded with an ending.
    func promise(_ ending: ErasureCompletion.Ending) -> ErasurePromise {
        ErasurePromise(dueAt: dueAt(ending.receipt.finishedAt))
    }

    private func record(of request: AwaitedErasure, _ id: UUID) -> TicketRecord {
        TicketRecord(
            hash: request.ticket(for: id, context.keys).hash, keyHash: request.keyHash,
            bodyHash: request.request.bodyHash)
    }

    /// The request that an ending answers.
    func request(of ending: ErasureCompletion.Ending) -> AwaitedErasure? {
        awaited.first { $0.hash.rawValue == ending.erasure.record.subjectHash }
    }
}

extension AwaitedErasure {
    fileprivate var keyHash: String? { request.keyHash(of: hash) }
    fileprivate var proof: ProofRecord? { request.proofRecord(of: hash) }

    func ticket(for erasure: UUID, _ keys: KeyStore) -> ErasureTicket {
        request.ticket ?? ErasureTicket(for: request.idempotencyKey ?? "", of: erasure, keys: keys)
    }
}
