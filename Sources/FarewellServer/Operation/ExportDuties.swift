// SPDX-License-Identifier: Apache-2.0

import FarewellErasure
import ServiceLifecycle

/// Removes expired exports while the server runs, and all of them when it stops.
struct ExportDuties: Service, CustomStringConvertible {
    private let exports: ExportRequests

    init(_ exports: ExportRequests) { self.exports = exports }

    /// Shows nothing of the exports, because a log names each service.
    var description: String { "ExportDuties" }

    func run() async throws {
        await cancelWhenGracefulShutdown { await exports.run() }
        await exports.close()
    }
}
