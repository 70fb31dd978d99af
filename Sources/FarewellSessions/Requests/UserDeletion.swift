// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// How deep an administrator's deletion goes.
public enum UserDeletion: String, Sendable, Hashable, CaseIterable {
    /// All data of the user is deleted.
    case hard
    /// An emptied row stays, so that others' rows keep their key.
    case soft
}
