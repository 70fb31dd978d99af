// SPDX-License-Identifier: Apache-2.0

/// What a backend gives for a proof of identity.
public enum IdentityConfirmation: Sendable {
    /// A credential for the one act that it was asked for: good once, for a few minutes.
    case stepUp(Token)
    /// A new session, whose sign-in is recent.
    case session(ProviderAnswer<DeviceSession>)
}
