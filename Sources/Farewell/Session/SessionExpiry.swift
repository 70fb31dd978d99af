// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Why a session ended by itself.
public enum SessionExpiry: Sendable, Hashable, CaseIterable {
    case inactivity, absolute
}
