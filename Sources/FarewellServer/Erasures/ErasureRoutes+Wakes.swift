// SPDX-License-Identifier: Apache-2.0

import FarewellErasure

/// When those who follow should look again.
extension ErasureRoutes {
    /// Comes at once, when a worker of this process has got further, and every second; ends when the server stops or
    /// the follower has gone.
    func wakes(of seat: Followers.Seat) -> AsyncStream<Void> {
        let bells = desk.bells
        return seat.wakes(
            [bells.progress.rings, bells.ends.rings], each: .seconds(1), sleep: server.world.sleep)
    }
}
