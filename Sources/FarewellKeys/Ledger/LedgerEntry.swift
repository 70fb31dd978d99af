// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// One erased subject in the ledger: by keyed hashes only.
package struct LedgerEntry: Sendable, Hashable {
    package let subject: SubjectHash
    /// Tells this life of the key from a later one (`KeyStore.incarnationHash`).
    package let incarnation: String
    package let erasedAt: Date
    package let receipt: UUID

    /// The time is kept to the millisecond.
    package init(subject: SubjectHash, incarnation: String, erasedAt: Date, receipt: UUID) {
        self.subject = subject
        self.incarnation = incarnation
        self.erasedAt = UTCTime.rounded(erasedAt)
        self.receipt = receipt
    }
}

extension LedgerEntry: Codable {
    private enum CodingKeys: String, CodingKey { case subject, incarnation, erasedAt, receipt }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            subject: try members.decode(SubjectHash.self, forKey: .subject),
            incarnation: try members.decode(String.self, forKey: .incarnation),
            erasedAt: try members.decodeTime(forKey: .erasedAt),
            receipt: try members.decodeIdentifier(forKey: .receipt))
    }

    /// In the order of the canonical form, which then need not sort.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(time: erasedAt, forKey: .erasedAt)
        try members.encode(incarnation, forKey: .incarnation)
        try members.encode(identifier: receipt, forKey: .receipt)
        try members.encode(subject, forKey: .subject)
    }
}
