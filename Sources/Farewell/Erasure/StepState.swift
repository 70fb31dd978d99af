// SPDX-License-Identifier: Apache-2.0

/// The state of one step of an erasure.
public enum StepState: String, Sendable, Hashable, Codable, CaseIterable {
    /// Begun and recorded as begun; its effect may or may not have happened yet.
    case running
    /// Its effect is recorded.
    case done
}
