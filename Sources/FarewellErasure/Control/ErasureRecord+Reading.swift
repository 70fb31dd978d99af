// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

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
