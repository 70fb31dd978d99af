// SPDX-License-Identifier: Apache-2.0

import FarewellPlan
import FarewellSQL

/// A cheap fingerprint of everything in a database that decides whether a plan fits it.
package struct DatabaseFingerprint: Sendable, Equatable {
    /// That of the schema (`SchemaStamp`).
    let stamp: SQLValue
    /// The vendor's buckets of files, where the plan leaves tables to a vendor that has them.
    let buckets: VendorBuckets.Listed?
}
