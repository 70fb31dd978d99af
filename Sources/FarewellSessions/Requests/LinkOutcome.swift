// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// The result of using the link of a mail.
public enum LinkOutcome: Sendable {
    /// Signed in at once.
    case session(SessionGrant)
    /// The mail was requested with a challenge. The app exchanges this authorization code and its verifier for a
    /// session: once, within five minutes.
    case code(String)
}
