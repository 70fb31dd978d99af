// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// Erasures that a worker has claimed.
struct ClaimedErasures: SmallAccounts {
    let context: ErasureContext
    let rules: ServiceRules
    let claimed: [OpenedErasure]
    /// Ends the subjects' sessions, if they have not ended.
    let closing: [SQLStatement]

    private var control: ControlStore { context.control }

    var keys: [SQLValue] { claimed.map(\.subject.key.value) }
    var areNew: Bool { false }
    var areForgotten: Bool { false }
    var requester: String { "engine" }

    /// Other programs' writes for the subjects have ended, or wait; the erasures stay ours until the transaction ends.
    /// The sessions end before any row of the subjects is read. Since sign-ins lock a user's row before sessions, this
    /// transaction gives way from then on.
    var holding: [SQLStatement] {
        control.awaitWriters(of: keys) + [control.leases.guardLease(claimed, owner: context.owner, state: .fenced)]
            + (closing.isEmpty ? [] : [control.waitBriefly] + closing)
    }

    var questions: StoreQueries<Selection> {
        StoreQueries(control.receiptsGiven(to: claimed)).map { given -> Selection in
            { found in erasures(found, given) }
        }
    }

    /// The subjects whose own row still exists, with their present data.
    private func erasures(_ found: [SQLValue: SealedSubject], _ given: Set<UUID>) -> [OpenedErasure] {
        context.receivingOthers(claimed, given: given).compactMap { erasure in
            found[erasure.subject.key.value].map { erasure.renewed($0, under: context.prepared) }
        }
    }

    /// The erasures end, and their fences with them; the identities are retained for the receivers of their events.
    func records(of endings: [ErasureCompletion.Ending], at now: Date) throws -> [SQLStatement] {
        let ids = endings.map(\.erasure.id)
        let sealed = try endings.map {
            ($0.erasure.id, try SubjectSeal.sealed($0.erasure.subject, under: $0.erasure.seal))
        }
        let keeping = control.identities.keep(
            sealed, lookAfter: rules.lookAfter(endings.map(\.erasure.subject)),
            atMost: ServiceRules.longestRetainedIdentity)
        return [keeping] + control.requests.end(endings.map { ($0.erasure, $0.signed) }, owner: context.owner, at: now)
            + [control.outbox.noteDone(ids, at: now), control.open(ids)]
    }
}

extension OpenedErasure {
    /// The same under the present plan, with the subject's present data.
    func renewed(_ found: SealedSubject?, under prepared: PreparedPlan) -> OpenedErasure {
        var renewed = self
        renewed.record.state = .running
        renewed.record.planFingerprint = prepared.planFingerprint
        renewed.record.schemaFingerprint = prepared.schemaFingerprint
        if let found { renewed.subject = subject.renewed(by: found) }
        // Nothing was changed yet: the rows that stay are those found now. A key may belong to another subject
        // meanwhile.
        for name in prepared.ownKeyNames { renewed.subject.capturedKeys?[name] = found?.capturedKeys?[name] }
        return renewed
    }
}
