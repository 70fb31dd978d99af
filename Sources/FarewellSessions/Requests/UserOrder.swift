// SPDX-License-Identifier: Apache-2.0
public import Farewell
public import Foundation

/// In which order people are listed.
public enum UserOrder: String, Sendable, Hashable, CaseIterable {
    case newestFirst = "newest first"
    case oldestFirst = "oldest first"
}
