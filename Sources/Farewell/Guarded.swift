// SPDX-License-Identifier: Apache-2.0
#if canImport(os)
import os
#else
import Synchronization
#endif

/// A value behind a lock that is held for microseconds, never across a suspension.
///
/// `Mutex` where it is always there; its elder sister on Apple's systems, which this package supports
/// from a release that lacks `Mutex`.
package final class Guarded<State: Sendable>: Sendable {
    #if canImport(os)
    private let lock: OSAllocatedUnfairLock<State>
    package init(_ state: State) { lock = OSAllocatedUnfairLock(uncheckedState: state) }
    #else
    private let lock: Mutex<State>
    package init(_ state: State) { lock = Mutex(state) }
    #endif

    package func withLock<Value: Sendable>(_ body: (inout State) throws -> Value) rethrows -> Value {
        #if canImport(os)
        try lock.withLockUnchecked(body)
        #else
        try lock.withLock { state in try body(&state) }
        #endif
    }
}
