// SPDX-License-Identifier: Apache-2.0

/// A backend's answer to a proof of identity.
public enum IdentityConfirmation: Sendable {
    /// A credential for the one act for which it was requested: valid once, for a few minutes.
    case stepUp(Token)
    /// A new session, whose sign-in is recent.
    case session(ProviderAnswer<DeviceSession>)
}
