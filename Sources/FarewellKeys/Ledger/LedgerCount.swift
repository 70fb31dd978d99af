// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How many committed erasures one copy of the ledger knows, and a sum over their receipts. Two copies that agree in
/// both have the same erasures, except for an accident of one in sixteen million.
package struct LedgerCount: Sendable, Hashable, Codable {
    package var count = 0
    var sum = 0

    package init(count: Int = 0, sum: Int = 0) {
        self.count = count
        self.sum = sum
    }

    package init(_ receipts: some Sequence<UUID>) {
        self.init()
        for receipt in receipts { add(receipt) }
    }

    /// A receipt counts by the last six hexadecimal digits of its identifier.
    mutating func add(_ receipt: UUID) {
        count += 1
        let bytes = receipt.uuid
        sum &+= Int(bytes.13) << 16 | Int(bytes.14) << 8 | Int(bytes.15)
    }
}
