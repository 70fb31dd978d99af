// SPDX-License-Identifier: Apache-2.0

/// Compares the ledger's two copies, and the file of stops with the database, while a worker runs: the database or the
/// state directory may be restored without a restart of the worker.
struct LedgerKeeper: Duty {
    let engine: ErasureEngine
    let name = "Comparing the ledger's copies"
    let pause = 600

    func perform() async throws {
        // First: a cancelled erasure must not begin meanwhile.
        try await engine.reconcileStops()
        try await engine.reconcileLedger()
    }
}
