// SPDX-License-Identifier: Apache-2.0

import FarewellErasure

/// When those who follow should look again.
extension ErasureRoutes {
    /// Comes at once, when a worker of this process has got further, and every second; ends when the server stops or
    /// the follower has gone.
    func wakes(of seat: Followers.Seat) -> AsyncStream<Void> {
        let signals = requests.signals
        return seat.wakes(
            [signals.progress.wakes, signals.ends.wakes], each: .seconds(1), sleep: server.world.sleep)
    }
}
