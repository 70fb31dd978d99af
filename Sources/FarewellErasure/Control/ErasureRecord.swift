// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
public import Foundation

/// One erasure in the control store. Holds nothing personal: its subject is sealed.
public struct ErasureRecord: Sendable, Hashable {
    public var id: UUID
    public var state: ErasureState
    /// Why it is parked, in words; only in `needsAttention`.
    public var cause: String?
    public var requestedAt: Date
    public var finishedAt: Date?
    /// How often a worker has taken it up. Counted before anything is done, so that a crash counts.
    public var attempts: Int
    /// The worker, as `host:process`; `nil` if there is none.
    public var owner: String?
    /// Until when the owner has it for itself.
    public var leaseUntil: Date?
    /// The number of the current lease. Every write checks it.
    public var epoch: Int64
    public var subjectHash: String
    public var planFingerprint: String
    public var schemaFingerprint: String
    /// The signed receipt, once there is one.
    public var receipt: String?
    package var wrappedKey: [UInt8]?
    package var sealed: [UInt8]?
}

extension ErasureRecord {
    /// Column names in the order `init(row:)` reads them.
    static let columns = [
        "id", "state", "cause", "requested_at", "finished_at", "attempts", "owner", "lease_until", "epoch",
        "subject_hash", "plan_fingerprint", "schema_fingerprint", "receipt", "wrapped_key", "sealed",
    ].joined(separator: ", ")

    /// All erasures of a result.
    static func all(_ result: SQLResult) throws -> [ErasureRecord] { try result.rows.map(ErasureRecord.init(row:)) }

    /// The first erasure of a result; `nil` if there is none.
    static func first(_ result: SQLResult) throws -> ErasureRecord? {
        try result.rows.first.map(ErasureRecord.init(row:))
    }

    init(row: [SQLValue]) throws {
        guard row.count == 15, let id = row[0].identifier,
            let state = row[1].text.flatMap(ErasureState.init(rawValue:)),
            let requestedAt = row[3].date, let epoch = row[8].integer, (0..<Int64.max).contains(epoch)
        else {
            throw FarewellError(
                "control.unreadable", .ours, "An erasure in the control store cannot be read.",
                remedy: "The table was changed by hand or by another version; restore it.")
        }
        self.id = id
        self.state = state
        cause = row[2].text
        self.requestedAt = requestedAt
        finishedAt = row[4].date
        attempts = Int(row[5].integer ?? 0)
        owner = row[6].text
        leaseUntil = row[7].date
        self.epoch = epoch
        subjectHash = row[9].text ?? ""
        planFingerprint = row[10].text ?? ""
        schemaFingerprint = row[11].text ?? ""
        receipt = row[12].text
        wrappedKey = row[13].bytes
        sealed = row[14].bytes
    }
}

extension ErasureRecord {
    /// The columns of a table by another name.
    static func columns(of alias: String) -> String {
        columns.split(separator: ", ").map { "\(alias).\($0)" }.joined(separator: ", ")
    }
}

/// The stored cursor of a long step: its completed part.
package struct StepProgress: Sendable, Hashable, Codable {
    /// How many of the program's effects are finished.
    package var effect: Int
    /// Rows or files changed so far for each place.
    package var counts: [String: Int]
    /// The position in a third-party system, or the key of the last completed row; sealed under the run's key.
    package var cursor: String?
    /// The reason for waiting until a day, in words; contains nothing personal.
    package var rest: String?
    /// The places whose rows the database's cascade deletes with those of other tables: `effect` counts in that order.
    package var cascaded: [String]?
    /// How often a third-party system's part was begun anew, each time under another idempotency key; `nil` if never.
    package var round: Int?
    /// The part of the second look; `nil` before a third-party system's step is done, and for names that also belonged
    /// to another subject at first.
    package var look: Look?

    package enum Look: String, Sendable, Codable {
        /// A request of the second look is under way.
        case asking
        /// Nothing is under way: only the round is kept, so that no later request has the key of an earlier one.
        case ended
    }

    package init(effect: Int = 0, counts: [String: Int] = [:], cursor: String? = nil) {
        self.effect = effect
        self.counts = counts
        self.cursor = cursor
    }
}

extension SQLValue {
    /// A subject's key as it is hashed. A UUID that a database holds as text is the same in either letter case.
    var asSubject: SQLValue {
        guard case .text(let text) = self, UUID(text: text) != nil else { return self }
        return .text(text.lowercased())
    }
}
