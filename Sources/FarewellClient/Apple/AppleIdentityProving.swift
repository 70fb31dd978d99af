// SPDX-License-Identifier: Apache-2.0

/// Asks the user to sign in with Apple. On Apple platforms `LiveAppleIdentity`.
public protocol AppleIdentityProving: Sendable {
    /// Shows Apple's sheet.
    ///
    /// - Parameter hashedNonce: The nonce that Apple puts into the identity token: its SHA-256, in hexadecimal.
    /// - Throws: `device.proof-cancelled` when the user closes the sheet, `device.apple-unavailable`.
    func identity(hashedNonce: String) async throws -> AppleIdentity
}
