// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation

/// Whether the state directory belongs to the database and can be used, in words. Writes only missing receipts.
struct StateFacts {
    let database: any SQLDatabase
    let state: String

    private static let name = "state directory"
    private static let locks = ["lock", "clock.lock"]
    private static let leastSpace: Int64 = 16 << 20

    func facts() async -> [DatabaseHealth.Fact] {
        do {
            try await ErasureEngine.refuseOtherKeys(in: database, state: state)
            if let loss = try KeyStore.loss(at: state) {
                return [.init(Self.name, .bad, loss.message, remedy: loss.remedy)]
            }
            let directory = try StateDirectory.existing(at: state)
            _ = try KeyStore.existing(in: directory)
            let keys = DatabaseHealth.Fact(
                Self.name, .good, "has keys that only their owner can read")
            var facts = [keys] + unwritable() + refusedLocks(in: directory) + lackingSpace()
            facts += await LedgerFacts(database: database, state: state).facts()
            facts += await ReceiptRestoration(database: database, state: state).facts()
            return facts
        } catch let error as FarewellError where error.code == "state.missing" || error.code == "keys.missing" {
            return [.init(Self.name, .good, "does not exist yet; the first erasure creates it")]
        } catch let error as FarewellError {
            return [.init(Self.name, .bad, error.message, remedy: error.remedy)]
        } catch {
            return [.init(Self.name, .bad, "It cannot be read.")]
        }
    }

    /// The places in the state directory that the next erasure writes to and this user may not.
    private func unwritable() -> [DatabaseHealth.Fact] {
        let folder = URL(fileURLWithPath: state, isDirectory: true)
        let names = ["", "receipts", "ledger.jsonl", "stops.jsonl"] + Self.locks
        return names.compactMap { name -> DatabaseHealth.Fact? in
            let path = name.isEmpty ? folder.path : folder.appendingPathComponent(name).path
            let files = FileManager.default
            guard files.fileExists(atPath: path), !files.isWritableFile(atPath: path) else { return nil }
            let place = name.isEmpty ? "it" : "\(name) in it"
            return DatabaseHealth.Fact(
                Self.name, .bad, "this user may not write to \(place)",
                remedy: "Give this user the right to write there, which the next erasure needs.")
        }
    }

    /// The locks that Farewell would refuse. Other facts report the other files.
    private func refusedLocks(in directory: StateDirectory) -> [DatabaseHealth.Fact] {
        Self.locks.compactMap { directory.refusal(of: $0) }.map { refusal in
            DatabaseHealth.Fact(Self.name, .bad, refusal.message, remedy: refusal.remedy)
        }
    }

    /// Receipts and the ledger's lines need room on the disk of the state directory.
    private func lackingSpace() -> [DatabaseHealth.Fact] {
        let facts = try? FileManager.default.attributesOfFileSystem(forPath: state)
        guard let free = (facts?[.systemFreeSize] as? NSNumber)?.int64Value, free < Self.leastSpace else { return [] }
        return [
            .init(
                Self.name, .bad, "its disk has \(free >> 10) KiB left, and erasures write there",
                remedy: "Free at least \(Self.leastSpace >> 20) MiB, then farewell erase --resume.")
        ]
    }
}
