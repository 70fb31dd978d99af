// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

/// A place on the device for one small secret record.
///
/// Implementations make no decisions: the layer above decides about writes, under a lock. They hold no lock of their
/// own and show no prompt: a place that the user would have to unlock is `unknown`. The conformance suite
/// `TokenStoreConformance` states the requirements.
public protocol TokenStore: Sendable {
    /// The name of the place in reports, such as `Keychain`.
    var name: String { get }
    /// Looks. Never guesses: an error is `unknown`, never `absent`.
    func read() -> StoreReading
    /// Replaces the whole record: after a crash there is the old one or the new one.
    func write(_ record: Data) throws
    /// Removes the record. One that is not there is fine.
    func remove() throws
}
