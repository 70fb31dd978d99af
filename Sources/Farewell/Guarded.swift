// SPDX-License-Identifier: Apache-2.0
#if canImport(os)
public import os
#else
public import Synchronization
#endif

/// A value behind a lock that is held for microseconds, never across a suspension. It is inlinable, so
/// that other modules need not look up types at each use: for this, the type itself must be usable from inline code.
///
/// `Mutex` on systems that always have it; its predecessor on Apple's systems, which this package supports from a
/// release that lacks `Mutex`.
@usableFromInline
package final class Guarded<State: Sendable>: Sendable {
    #if canImport(os)
    @usableFromInline let lock: OSAllocatedUnfairLock<State>
    package init(_ state: State) { lock = OSAllocatedUnfairLock(uncheckedState: state) }
    #else
    @usableFromInline let lock: Mutex<State>
    package init(_ state: State) { lock = Mutex(state) }
    #endif

    @inlinable
    package func withLock<Value: Sendable>(_ body: (inout State) throws -> Value) rethrows -> Value {
        #if canImport(os)
        try lock.withLockUnchecked(body)
        #else
        try lock.withLock { state in try body(&state) }
        #endif
    }
}
