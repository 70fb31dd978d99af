// SPDX-License-Identifier: Apache-2.0

import FarewellKeys
import FarewellSQL

extension IssuedReceipt {
    /// Reads the columns `id, receipt, finished_at`; `nil` if one of them is missing or of another kind.
    init?(row: [SQLValue]) {
        guard row.count == 3, let erasure = row[0].identifier, let signed = row[1].text, let finishedAt = row[2].date
        else { return nil }
        self.init(erasure: erasure, signed: signed, finishedAt: finishedAt)
    }
}
