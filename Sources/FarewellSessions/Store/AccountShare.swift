// SPDX-License-Identifier: Apache-2.0
import FarewellSQL

/// The result for one account of several in one query.
struct AccountShare: Sendable {
    private(set) var rows: [[SQLValue]]

    /// - Parameter result: Rows that first name their entry of the list, counted from one.
    static func shares(of result: SQLResult?, among count: Int) -> [AccountShare] {
        var shares = [AccountShare](repeating: AccountShare(rows: []), count: count)
        for row in result?.rows ?? [] {
            guard let place = row.first?.integer, shares.indices.contains(Int(place) - 1) else { continue }
            shares[Int(place) - 1].rows.append(Array(row.dropFirst()))
        }
        return shares
    }

    /// The account; `nil` if there is none, or if a renewal is not allowed: the token is not the active one, or session
    /// or user may not continue.
    func account() throws -> AccountRow? { try AccountRow(rows) }
}
