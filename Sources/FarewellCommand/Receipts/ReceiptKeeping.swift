// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Farewell
import FarewellKeys
import Foundation

/// Writes receipts into the state directory as they are issued, and knows which of them are there.
///
/// The files are written in order on a queue, so that no erasure and no connection waits for the disk. A receipt that
/// cannot be written is no reason to call the erasure failed: the database has it, and `ReceiptRestoration` tries again
/// and reports it.
struct ReceiptKeeping: Sendable {
    private let kept = Guarded<Set<UUID>>([])
    private let queue = DispatchQueue(label: "farewell-receipts", qos: .utility)

    func keep(_ issued: [IssuedReceipt], in receipts: Receipts) {
        queue.async { [kept] in
            for receipt in issued where (try? receipts.keep(receipt)) != nil {
                kept.withLock { _ = $0.insert(receipt.erasure) }
            }
        }
    }

    /// Runs `work`, then waits until every receipt handed to `keep` is written or could not be, however `work` ended.
    func finishing<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        let result: Result<Value, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        return try result.get()
    }

    func isKept(_ erasure: UUID) -> Bool { kept.withLock { $0.contains(erasure) } }
}
