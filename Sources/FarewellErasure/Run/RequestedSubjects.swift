// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Subjects whose erasure the command requests, carries out and records in one transaction.
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

    var holding: [SQLStatement] { [context.control.hold(subjectHashes: hashes)] }

    var questions: [SQLStatement] {
        [context.control.live(subjectHashes: hashes), context.control.held(subjectHashes: hashes)]
    }

    /// Those of whom there is something and who have neither a live erasure nor a hold left by one.
    func members(_ found: [SQLValue: SealedSubject], _ answers: ArraySlice<SQLResult>) -> [ErasureMember] {
        let barred = Set(answers.flatMap(\.rows).compactMap { $0.first?.text })
        let now = context.environment.now()
        return zip(keys, hashes).filter { !barred.contains($0.1) }.compactMap { key, hash in
            found[key].map { context.newMember($0, hash: hash, state: .running, at: now) }
        }
    }

    func records(of endings: [ErasureCompletion.Ending], at now: Date) -> [SQLStatement] {
        context.control.record(endings.map { ($0.member, $0.signed) }, at: now)
    }
}
