// SPDX-License-Identifier: Apache-2.0
import Foundation

/// That one of some sources is known to the account of an address.
struct KnownSourceCondition: Sendable {
    let sources: [[UInt8]]
    let address: String
    /// Sources that were last used before are forgotten.
    let since: Date

    init(_ sources: [[UInt8]], of address: String, since: Date) {
        self.sources = sources
        self.address = address
        self.since = since
    }
}
