// SPDX-License-Identifier: Apache-2.0

/// Where a participant holds what it holds.
public enum WipePlace: String, Sendable, Hashable, CaseIterable {
    case memory, disk
}
