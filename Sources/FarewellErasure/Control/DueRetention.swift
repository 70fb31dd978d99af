// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation

/// A piece of retained rows whose time has ended.
struct DueRetention: Sendable, Hashable {
    let erasure: UUID
    let number: Int
    let place: String

    /// - Parameter result: `(erasure, piece, place)`.
    @Sendable static func all(_ result: SQLResult) -> [DueRetention] {
        result.rows.compactMap { row in
            guard let erasure = row[0].identifier, let number = row[1].integer, let place = row[2].text else {
                return nil
            }
            return DueRetention(erasure: erasure, number: Int(number), place: place)
        }
    }
}
