// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// Closes subjects to other writers while they are being erased.
///
/// A fence is a row with the salted hash of the subject's key and the lease number it was put up under. Other writers
/// read it in their own transaction; `FenceScript` makes them a trigger for PostgreSQL.
extension ControlStore {
    var fences: String { migrations.table("fences") }
    var fenceSalt: String { migrations.table("fence_salt") }

    /// The mark that identifies a subject's fence, from its key.
    func mark(_ key: String) -> String {
        dialect.hasHashes
            ? "encode(sha256(convert_to((SELECT s.salt FROM \(fenceSalt) AS s) || \(key), 'UTF8')), 'hex')"
            : "farewell_keyed_hash(x'00', (SELECT s.salt FROM \(fenceSalt) AS s) || \(key))"
    }

    /// Puts up fences for the subjects of some erasures, in a transaction that ends before the next one begins.
    func close(_ opened: [OpenedErasure], at now: Date) -> [SQLStatement] {
        guard dialect.hasArrays else {
            return opened.map { erasure in
                SQLStatement(
                    """
                    INSERT INTO \(fences) (mark, erasure, epoch, closed_at) \
                    VALUES (\(mark("$1")), $2, $3, $4) ON CONFLICT (mark) DO UPDATE SET \(Self.takingOver)
                    """,
                    [
                        .text(erasure.subject.key.fenceText), identifier(erasure.id), .integer(erasure.record.epoch),
                        .timestamp(now),
                    ])
            }
        }
        return [
            SQLStatement(
                """
                INSERT INTO \(fences) (mark, erasure, epoch, closed_at) \
                SELECT \(mark("r.key")), r.erasure, r.epoch, $4 \
                FROM unnest($1::text[], $2::uuid[], $3::bigint[]) AS r (key, erasure, epoch) \
                ON CONFLICT (mark) DO UPDATE SET \(Self.takingOver)
                """,
                [
                    .array(opened.map { .text($0.subject.key.fenceText) }),
                    .array(opened.map { .uuid($0.id) }), .array(opened.map { .integer($0.record.epoch) }),
                    .timestamp(now),
                ])
        ]
    }

    /// A fence that an earlier erasure of the subject has left is this erasure's from now on.
    private static let takingOver =
        "epoch = excluded.epoch, erasure = excluded.erasure, closed_at = excluded.closed_at"

    /// PostgreSQL: waits for writers that looked before the fence stood, and have not ended. Those that come later
    /// see it. The right ends with the transaction.
    func awaitWriters(of subjects: [SQLValue]) -> [SQLStatement] {
        guard dialect.takesSeveralWriters else { return [] }
        return [
            SQLStatement(
                """
                SELECT pg_advisory_xact_lock(hashtextextended(k, \(FenceScript.lockSeed))) \
                FROM unnest($1::text[]) AS k ORDER BY k
                """, [.array(subjects.map { .text(StoredValue($0).fenceText) })])
        ]
    }

    /// Takes the fences down again of what has ended.
    func open(_ ids: [UUID]) -> SQLStatement {
        SQLStatement("DELETE FROM \(fences) WHERE erasure \(isAmong("$1"))", [identifiers(ids)])
    }

    /// Takes down what a worker that died between the end and its fence left standing.
    var openEnded: SQLStatement {
        SQLStatement(
            """
            DELETE FROM \(fences) WHERE erasure IN \
            (SELECT e.id FROM \(erasures) AS e WHERE e.state IN ('done', 'cancelled'))
            """)
    }

    /// The epoch of a subject's fence, by its key as text; no row where the subject is open.
    package func fence(of key: String) -> SQLStatement {
        SQLStatement("SELECT f.epoch FROM \(fences) AS f WHERE f.mark = \(mark("$1"))", [.text(key)])
    }
}

extension StoredValue {
    /// The key as other writers know it: a UUID in lower-case letters.
    var fenceText: String { value.asSubject.text ?? "" }
}
