// SPDX-License-Identifier: Apache-2.0

import FarewellErasure
import ServiceLifecycle

/// Telling of ended sessions as a service: what is being told when a shutdown begins is given back at once.
struct RevocationDelivery: Service, CustomStringConvertible {
    let deliverer: RevocationDeliverer

    /// Shows nothing of the deliverer, for a log tells the name of each service.
    var description: String { "RevocationDelivery" }

    /// Tells until the task is cancelled or a graceful shutdown begins.
    func run() async throws {
        await cancelWhenGracefulShutdown { await deliverer.run() }
    }
}
