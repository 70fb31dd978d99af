// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// How long to wait for the holder of a state directory's lock.
struct LockWait: Sendable {
    /// The number of checks whether it is free.
    let looks: Int
    /// Lets a little time pass between two looks. Blocks.
    let pause: @Sendable () -> Void

    /// Fifteen seconds: the holder of the lock writes a small file, unless it was stopped in the middle of that.
    static let live = LockWait(looks: 1_500, pause: { _ = usleep(10_000) })
}
