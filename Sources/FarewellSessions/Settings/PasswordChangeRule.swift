// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The proof that a change of password requires beside a session.
public enum PasswordChangeRule: Sendable, Hashable {
    case withSession
    /// The present password.
    case withCurrentPassword
    /// A code sent by mail, when the session began longer ago than this.
    case withCode(after: Duration)
}
