// SPDX-License-Identifier: Apache-2.0

/// Why a device is wiped.
public enum WipeOccasion: String, Sendable, Hashable, Codable, CaseIterable {
    case signOut
    case deletion
}
