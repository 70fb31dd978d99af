// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys

extension ErasureContext {
    /// Hands receipts to their keeper outside the database.
    func issued(_ endings: [ErasureCompletion.Ending]) async {
        guard !endings.isEmpty else { return }
        await environment.issued(
            endings.map { .init(erasure: $0.receipt.id, signed: $0.signed, finishedAt: $0.receipt.finishedAt) })
    }
}
