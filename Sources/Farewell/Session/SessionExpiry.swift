// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The reason why a session expired.
public enum SessionExpiry: Sendable, Hashable, CaseIterable {
    case inactivity, absolute
}
