// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The order of a list of users.
public enum UserOrder: String, Sendable, Hashable, CaseIterable {
    case newestFirst = "newest first"
    case oldestFirst = "oldest first"
}
