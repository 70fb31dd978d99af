// SPDX-License-Identifier: Apache-2.0

/// A sign that Sign in with Apple was withdrawn.
public enum AppleSignal: String, Sendable, Hashable, CaseIterable {
    /// The credential's state at launch.
    case state
    /// The system's notification that it was revoked.
    case notification
    /// Its state, read again some time later.
    case secondLook
}
