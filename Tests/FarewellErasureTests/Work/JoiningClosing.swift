// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import TestFixtures

/// Ends sessions by statements of the transaction, or before it if that fails.
struct JoiningClosing: SubjectClosing {
    /// Subjects whose sessions ended before anything of them was erased.
    let closed = Guarded<[String]>([])
    /// The subject whose statement fails in the transaction.
    var failing: String?
    /// Subjects whose end was published.
    let published = Guarded<[String]>([])

    /// In Farewell's own schema, which no plan covers.
    static let table = "CREATE TABLE farewell.sessions_ended (subject text)"

    func close(_ subjects: [String]) async throws { closed.withLock { $0 += subjects } }

    func closing(_ subjects: [String]) async -> [SQLStatement]? {
        subjects.map { subject in
            SQLStatement(
                "INSERT INTO farewell.sessions_ended VALUES (\(subject == failing ? "(1 / 0)::text || $1" : "$1"))",
                [.text(subject)])
        }
    }

    func closed(_ subjects: [String]) async { published.withLock { $0 += subjects } }
}
