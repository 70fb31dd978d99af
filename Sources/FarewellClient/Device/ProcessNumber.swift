// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The system's numbers of processes.
enum ProcessNumber {
    static var own: Int32 { getpid() }

    /// Whether there may be a process of this number. Where the system does not say, there may.
    static func mayBeAlive(_ number: Int32) -> Bool { kill(number, 0) == 0 || errno != ESRCH }
}
