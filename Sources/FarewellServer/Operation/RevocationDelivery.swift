// SPDX-License-Identifier: Apache-2.0

import FarewellErasure
import ServiceLifecycle

/// Delivers ended sessions, as a service: when a shutdown begins, unfinished deliveries are released at once.
struct RevocationDelivery: Service, CustomStringConvertible {
    let deliverer: RevocationDeliverer

    /// Shows nothing of the deliverer, because a log names each service.
    var description: String { "RevocationDelivery" }

    /// Tells until the task is cancelled or a graceful shutdown begins.
    func run() async throws {
        await cancelWhenGracefulShutdown { await deliverer.run() }
    }
}
