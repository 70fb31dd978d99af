// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
public import Foundation

extension StepRecord {
    /// Whether nothing of it is pending: a finished system may be called once more, for names that have become the
    /// subject's alone.
    package var isOver: Bool { state == .done && progress == nil }
}

extension ErasureEngine {
    /// The plan it works by.
    package var plan: Plan { unfit?.plan ?? prepared.plan }

    /// The schema that the plan was compared with.
    package var schema: Schema { prepared.schema }

    /// Which database it works on.
    package var dialect: SQLDialect { database.dialect }

    /// The newest erasures, newest first.
    public func statuses(limit: Int = 50) async throws -> [ErasureStatus] {
        try await read(control.requests.newest(limit: limit))
    }

    /// One erasure; `nil` when there is none of this identifier.
    public func status(of id: UUID) async throws -> ErasureStatus? {
        try await read(control.requests.find(id)).first
    }

    /// All erasures of a subject, newest first.
    public func statuses(ofSubject subject: String) async throws -> [ErasureStatus] {
        let hash = try subjectHash(of: subject)
        return try await read(control.requests.find(subjectHash: hash.rawValue))
    }

    /// The signed receipt of an erasure (compact JWS); `nil` while there is none.
    public func receipt(of id: UUID) async throws -> String? {
        try await status(of: id)?.erasure.receipt
    }

    private func read(_ query: StoreQuery<[ErasureRecord]>) async throws -> [ErasureStatus] {
        try await database.withConnection { try await control.statuses(query, on: $0) }
    }
}

extension ErasureEngine {
    /// The receipt of an erasure, its signature verified with this installation's keys.
    ///
    /// - Throws: `receipt.missing` while there is none; `signature.…` when it is not as it was signed.
    public func openReceipt(of id: UUID) async throws -> Receipt {
        guard let signed = try await receipt(of: id) else {
            throw FarewellError("receipt.missing", .yoursToFix, "There is no receipt for this erasure.")
        }
        return try ReceiptVerifier(keys: keys.publicKeys).verify(signed).receipt
    }
}
