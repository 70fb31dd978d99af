// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation

/// Proofs of identity: each is used up once.
extension RequestStore {
    func keep(_ proof: ProofRecord, seconds: Int) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(stepUps) (hash, subject_hash, action, expires_at) VALUES ($1, $2, $3, \(fromNow("$4")))
            """, [.text(proof.hash), .text(proof.subjectHash), .text(proof.unspent), .integer(Int64(seconds))])
    }

    /// Uses a proof up. It affects one row for the first caller in time, and none for every later one.
    func spend(_ proof: ProofRecord) -> StoreQuery<Bool> {
        StoreQuery(
            SQLStatement(
                """
                DELETE FROM \(stepUps) WHERE hash = $1 AND subject_hash = $2 AND action = $3 \
                AND expires_at > \(fromNow("0"))
                """, [.text(proof.hash), .text(proof.subjectHash), .text(proof.unspent)]), { $0.affected == 1 })
    }

    // MARK: Erasures

    /// The use of a proof; `nil` if it is unknown, expired, or for another act or subject.
    func use(of proof: ProofRecord) -> StoreQuery<ProofRecord.Use?> {
        StoreQuery(
            SQLStatement(
                """
                SELECT action FROM \(stepUps) WHERE hash = $1 AND subject_hash = $2 AND expires_at > \(fromNow("0"))
                """, [.text(proof.hash), .text(proof.subjectHash)]), { proof.use($0.scalar?.text) })
    }

    /// Which of some proofs for one act are valid and not used: their hashes.
    func unused(_ proofs: [ProofRecord]) -> StoreQuery<Set<String>> {
        let isAmong = among(proofs.map(\.hash))
        let unspent = Dictionary(proofs.map { ($0.hash, $0.unspent) }, uniquingKeysWith: { first, _ in first })
        return StoreQuery(
            SQLStatement(
                """
                SELECT hash, action FROM \(stepUps) WHERE hash \(isAmong.condition) AND expires_at > \(fromNow("0"))
                """, [isAmong.value]),
            { result in
                let valid = result.rows.filter { row in
                    row[0].text.flatMap { unspent[$0] } == row[1].text
                }
                return Set(valid.compactMap { $0[0].text })
            })
    }

    /// Uses a proof up for an erasure, and keeps for which one until it expires: a repeated request is about the same.
    func use(_ proof: ProofRecord, for erasure: UUID) -> SQLStatement {
        SQLStatement(
            "UPDATE \(stepUps) SET action = $1 WHERE hash = $2 AND subject_hash = $3 AND action = $4",
            [
                .text(proof.spent(for: erasure)), .text(proof.hash), .text(proof.subjectHash), .text(proof.unspent),
            ])
    }
}
