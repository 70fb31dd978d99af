// SPDX-License-Identifier: Apache-2.0

/// Reports finished erasures while the next work runs: delivers their receipts first, then notifies observers.
struct Announcement: Sendable {
    private let handing: Task<Void, Never>
    private let notifying: Task<Void, Never>

    init(handingOut: @escaping @Sendable () async -> Void, notifying notify: @escaping @Sendable () async -> Void) {
        let handing = Task { await handingOut() }
        self.handing = handing
        notifying = Task {
            await handing.value
            await notify()
        }
    }

    /// Returns when the receipts are delivered.
    func handedOut() async { await handing.value }

    /// Returns when observers have been notified.
    func finished() async { await notifying.value }
}
