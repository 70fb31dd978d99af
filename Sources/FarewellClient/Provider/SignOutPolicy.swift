// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The handling of a sign-out when the server cannot be reached (SO-7).
public enum SignOutPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// This device is signed out nevertheless; the server learns of it as soon as it can be reached.
    case clearAnyway
    /// The error is shown, and everything stays as it was.
    case keepSignedIn
}
