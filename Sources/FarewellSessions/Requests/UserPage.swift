// SPDX-License-Identifier: Apache-2.0
public import Farewell
import Foundation

/// One page of users.
public struct UserPage: Sendable {
    public let users: [User]
    public let total: Int
    /// From 1.
    public let page: Int
    public let perPage: Int

    public var lastPage: Int { max(1, (total + perPage - 1) / perPage) }
}
