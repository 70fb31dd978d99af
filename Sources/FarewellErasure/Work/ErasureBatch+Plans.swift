// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

extension ErasureBatch {
    /// The erasures of some claimed ones that this batch may carry out. If the process has changed its plan since it
    /// claimed them, it hands back those that were accepted under a later plan than that of now.
    ///
    /// - Parameter plan: The fingerprint of the plan under which they were claimed.
    func permitted(_ records: [ErasureRecord], under plan: String) async -> [ErasureRecord] {
        let own = context.prepared.planFingerprint
        guard plan != own else { return records }
        var permitted: [ErasureRecord] = []
        for record in records {
            // Without an answer of the database it is left to others.
            let later = context.control.plans.wasLoadedLater(record.planFingerprint, than: own)
            let isLeft = record.planFingerprint == own ? false : (try? await later.run(in: context.database)) ?? true
            if isLeft, let erasure = try? SubjectSeal.opened(record, keys: context.keys) {
                await context.handBack(erasure, failed: false)
            } else {
                permitted.append(record)
            }
        }
        return permitted
    }
}
