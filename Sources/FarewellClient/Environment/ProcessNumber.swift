// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The system's numbers of processes.
package enum ProcessNumber {
    package static var own: Int32 { getpid() }

    /// Whether a process of this number may exist; true if the system does not say.
    package static func mayBeAlive(_ number: Int32) -> Bool { kill(number, 0) == 0 || errno != ESRCH }
}
