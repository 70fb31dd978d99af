// SPDX-License-Identifier: Apache-2.0

/// The place of a participant's data.
public enum WipePlace: String, Sendable, Hashable, CaseIterable {
    case memory, disk
}
