// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Finds rows by an e-mail address: by the one spelling that is kept, and by the decomposed one, which rows may have
/// that were imported, or stored before addresses were composed. In ASCII both are one.
struct AddressCondition {
    let text: String
    let values: [SQLValue]
    /// Chooses between two users whose addresses differ only in spelling: the user with the stored spelling remains.
    let one: String
    /// Whether the address has but one spelling.
    let isOne: Bool

    /// - Parameter place: The number of the first of its parameters.
    init(_ column: String, is address: String, at place: Int) {
        let spellings = EmailAddress.spellings(of: address)
        let isKept = "\(column) = $\(place)"
        values = spellings.map { .text($0) }
        if spellings.count == 1 {
            text = isKept
            one = ""
            isOne = true
        } else {
            text = "\(column) IN ($\(place), $\(place + 1))"
            one = " ORDER BY \(isKept) DESC LIMIT 1"
            isOne = false
        }
    }
}
