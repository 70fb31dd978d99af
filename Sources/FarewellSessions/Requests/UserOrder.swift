// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// In which order people are listed.
public enum UserOrder: String, Sendable, Hashable, CaseIterable {
    case newestFirst = "newest first"
    case oldestFirst = "oldest first"
}
