// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation

/// A delivery that is due and was taken.
struct DueDelivery: Sendable, Hashable {
    let event: Int64
    let endpoint: String
    let attempts: Int

    /// - Parameter result: `(event, endpoint, attempts)`.
    @Sendable static func all(_ result: SQLResult) -> [DueDelivery] {
        result.rows.compactMap { row in
            guard let event = row[0].integer, let endpoint = row[1].text, let attempts = row[2].integer else {
                return nil
            }
            return DueDelivery(event: event, endpoint: endpoint, attempts: Int(attempts))
        }
    }
}
