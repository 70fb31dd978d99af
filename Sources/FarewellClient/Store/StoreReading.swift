// SPDX-License-Identifier: Apache-2.0
public import Farewell
public import Foundation

/// The result of reading a store.
public enum StoreReading: Sendable {
    case present(Data)
    /// There is nothing, for certain.
    case absent
    /// The place could not be looked into: locked, failing, unreadable. Never a reason to delete or to sign out.
    case unknown(FarewellError)
}
