// SPDX-License-Identifier: Apache-2.0

/// Compares the ledger's two copies, and the file of stops with the database, while a worker runs: the database or the
/// state directory may be restored without a restart of the worker.
struct LedgerKeeper: Duty {
    let engine: ErasureEngine
    let name = "Comparing the ledger's copies"
    let pause = 600

    func perform() async throws {
        // First: a cancelled erasure must not begin meanwhile. A fault in one file does not stop the comparison of the
        // other.
        let stops: Result<Void, any Error>
        do {
            try await engine.reconcileStops()
            stops = .success(())
        } catch {
            stops = .failure(error)
        }
        try await engine.reconcileLedger()
        try stops.get()
    }
}
