// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// This machine's clocks and random identifiers.
enum LiveServerWorld {
    static func world() -> ServerWorld {
        let begin = ContinuousClock().now
        return ServerWorld(
            now: { Date() }, elapsed: { ContinuousClock().now - begin },
            sleep: { try await Task.sleep(for: $0) },
            makeIdentifier: {
                var generator = SystemRandomNumberGenerator()
                return .random(from: &generator)
            })
    }
}

extension ServerWorld {
    /// The real world.
    public static func live() -> ServerWorld { LiveServerWorld.world() }
}
