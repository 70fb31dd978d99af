// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Subjects whose erasure the command requests, performs and records in one transaction.
struct RequestedSubjects: SmallAccounts {
    let context: ErasureContext
    let keys: [SQLValue]
    private let hashes: [String]

    init(_ keys: [SQLValue], context: ErasureContext) {
        self.context = context
        self.keys = keys
        hashes = context.subjectHashes(keys)
    }

    var areNew: Bool { true }
    var areForgotten: Bool { true }
    var requester: String { "engine" }

    var holding: [SQLStatement] { [context.control.requests.hold(subjectHashes: hashes)] }

    var questions: StoreQueries<Selection> {
        Acceptance(context: context).standing(of: hashes).map { standing -> Selection in
            { found in erasures(found, standing) }
        }
    }

    /// Subjects with data and with neither a live erasure nor a hold left by one.
    private func erasures(
        _ found: [SQLValue: SealedSubject], _ standing: Acceptance.Standing
    ) -> [OpenedErasure] {
        let now = context.environment.now()
        return zip(keys, hashes).filter { standing.isFree($0.1) }.compactMap { key, hash in
            found[key].map { context.newErasure($0, hash: hash, state: .running, at: now) }
        }
    }

    func records(of endings: [ErasureCompletion.Ending], at now: Date) -> [SQLStatement] {
        context.control.requests.insert(endings.map { $0.record(at: now) })
    }
}

extension ErasureCompletion.Ending {
    /// The erasure as a single transaction records its end.
    func record(at now: Date) -> ErasureRecord {
        var record = erasure.record
        (record.state, record.finishedAt, record.receipt) = (.done, now, signed)
        (record.owner, record.leaseUntil, record.wrappedKey, record.sealed) = (nil, nil, nil, nil)
        return record
    }
}
