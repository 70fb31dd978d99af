// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// The database's part of the stops: the ends of holds, and the lines that the file of stops has not taken yet.
extension ControlStore {
    /// The most lines that one transaction adds to the file.
    static let mostLateStops = 1_000

    /// Whether the table exists: a back-up of an earlier version has none.
    var hasStops: StoreQuery<Bool> {
        StoreQuery(SQLStatement(dialect.ownTableCount("'stops'", in: "farewell")), { $0.scalar?.integer == 1 })
    }

    /// Records stops, in the transaction that they belong to.
    ///
    /// - Parameter isInFile: Whether the file has them. If not, they wait here, and any process adds them later.
    func record(_ lines: [Stop], isInFile: Bool) -> [SQLStatement] {
        lines.compactMap { line in
            guard let erasure = line.erasure, !isInFile || line.kind == .holdEnded else { return nil }
            return SQLStatement(
                """
                INSERT INTO \(stopTable) (erasure, kind, happened_at, is_late) VALUES ($1, $2, $3, $4) \
                ON CONFLICT (erasure, kind) DO UPDATE SET happened_at = excluded.happened_at, is_late = excluded.is_late
                """,
                [
                    identifier(erasure), .text(line.kind.rawValue), .timestamp(line.at), .integer(isInFile ? 0 : 1),
                ])
        }
    }

    /// Whether a line waits for the file.
    var hasLateStops: StoreQuery<Bool> {
        StoreQuery(
            SQLStatement("SELECT count(*) FROM (SELECT 1 FROM \(stopTable) WHERE is_late = 1 LIMIT 1) AS late"),
            { $0.scalar?.integer == 1 })
    }

    /// Lines that wait for the file, the oldest first; locked until the transaction ends.
    var lateStops: StoreQuery<[Stop]> {
        StoreQuery(
            SQLStatement(
                """
                SELECT erasure, kind, happened_at FROM \(stopTable) WHERE is_late = 1 \
                ORDER BY happened_at, erasure, kind LIMIT \(Self.mostLateStops)\(dialect.locked)
                """)
        ) { result in
            result.rows.compactMap { row in
                guard let erasure = row[0].identifier, let kind = row[1].text.flatMap(Stop.Kind.init(rawValue:)),
                    let at = row[2].date
                else { return nil }
                return Stop(kind, of: erasure, at: at)
            }
        }
    }

    /// Records that the file has taken lines which waited. The end of a hold stays known here.
    func arrived(_ lines: [Stop]) -> [SQLStatement] {
        lines.compactMap { line in
            guard let erasure = line.erasure else { return nil }
            let change =
                line.kind == .holdEnded ? "UPDATE \(stopTable) SET is_late = 0" : "DELETE FROM \(stopTable)"
            return SQLStatement(
                "\(change) WHERE erasure = $1 AND kind = $2", [identifier(erasure), .text(line.kind.rawValue)])
        }
    }

    /// When the holds of some erasures last ended; none of an erasure whose hold was put on again since.
    func holdEnds(of ids: [UUID]) -> StoreQuery<[UUID: Date]> {
        StoreQuery(
            SQLStatement(
                "SELECT erasure, happened_at FROM \(stopTable) WHERE kind = $2 AND erasure \(isAmong("$1"))",
                [identifiers(ids), .text(Stop.Kind.holdEnded.rawValue)])
        ) { result in
            result.rows.reduce(into: [:]) { ends, row in
                guard let erasure = row[0].identifier, let at = row[1].date else { return }
                ends[erasure] = at
            }
        }
    }

    private var stopMarks: String { migrations.table("compared_stops") }

    /// Up to where the file of stops and the database agreed.
    var stopMark: StoreQuery<StopMark?> {
        StoreQuery(
            SQLStatement("SELECT mark FROM \(stopMarks) WHERE id = 1"),
            { $0.scalar?.text.flatMap { StopMark(text: $0) } })
    }

    /// Records that they agree up to there. A restore of the database takes this back with the rest.
    func keep(_ mark: StopMark) throws -> SQLStatement {
        SQLStatement(
            "INSERT INTO \(stopMarks) (id, mark) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET mark = excluded.mark",
            [.text(try mark.text())])
    }
}
