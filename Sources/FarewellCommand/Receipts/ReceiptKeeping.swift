// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import Foundation

/// Writes receipts into the state directory as they are issued, and knows which of them are there.
///
/// The files are written in order beside the erasures, so that no connection waits for the disk. A receipt that cannot
/// be written is no reason to call the erasure failed: the database has it, and `ReceiptRestoration` tries again and
/// reports it.
struct ReceiptKeeping: Sendable {
    private struct Issue: Sendable {
        let receipts: [IssuedReceipt]
        let files: Receipts
    }

    private let kept = Guarded<Set<UUID>>([])
    private let issues: AsyncStream<Issue>
    private let waiting: AsyncStream<Issue>.Continuation

    init() { (issues, waiting) = AsyncStream.makeStream(of: Issue.self) }

    func keep(_ issued: [IssuedReceipt], in receipts: Receipts) {
        waiting.yield(Issue(receipts: issued, files: receipts))
    }

    /// Runs `work`, then waits until every receipt handed to `keep` is written or could not be, however `work` ended.
    /// Nothing is written after that.
    ///
    /// Interrupt `work` only: if the caller's own task is cancelled, writing stops, and later commands write the rest.
    func finishing<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        async let writing: Void = write()
        let result: Result<Value, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        waiting.finish()
        await writing
        return try result.get()
    }

    private func write() async {
        for await issue in issues {
            for receipt in issue.receipts where (try? issue.files.keep(receipt)) != nil {
                kept.withLock { _ = $0.insert(receipt.erasure) }
            }
        }
    }

    func isKept(_ erasure: UUID) -> Bool { kept.withLock { $0.contains(erasure) } }
}
