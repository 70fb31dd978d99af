// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

/// A place on the device for one small secret record.
///
/// Implementations make no decisions: who may write when is decided above, under a lock. They hold no lock of their own
/// and ask nobody anything: a place that would have to be unlocked by hand is `unknown`. The conformance suite
/// `TokenStoreConformance` says what each must do.
public protocol TokenStore: Sendable {
    /// What the place is called in reports, such as `Keychain`.
    var name: String { get }
    /// Looks. Never guesses: an error is `unknown`, never `absent`.
    func read() -> StoreReading
    /// Replaces the whole record: after a crash there is the old one or the new one.
    func write(_ record: Data) throws
    /// Removes the record. One that is not there is fine.
    func remove() throws
}
