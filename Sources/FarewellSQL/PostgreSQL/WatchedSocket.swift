// SPDX-License-Identifier: Apache-2.0

/// A socket of one connection, as its watcher knows it.
///
/// libpq closes the socket of a lost connection by itself, and the system then gives its number to the next one.
/// Therefore a number alone does not say whose socket is meant.
struct WatchedSocket: Sendable, Equatable {
    let descriptor: Int32
    /// Given once by each watcher; not 0.
    let number: UInt64
}
