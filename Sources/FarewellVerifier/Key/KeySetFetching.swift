// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Gets the bytes of a key set from its address.
public protocol KeySetFetching: Sendable {
    /// Everything at that address. Follows no redirect, and throws for any status but 200 and for more than `limit`
    /// bytes. Ends early, throwing, when its task is cancelled.
    func keySet(at address: URL, limit: Int) async throws -> [UInt8]
}
