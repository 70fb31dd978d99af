// SPDX-License-Identifier: Apache-2.0

import FarewellKeys

/// The keys of the pages and of the console. Each is for one purpose, so that a value for one of them is useless
/// for another.
struct PageKeys: Sendable {
    /// The purpose of a key.
    enum Purpose: String, KeyPurpose {
        case accountForm = "account-form"
        case consoleForm = "console-form"
        case accountState = "sign-in-state/account"
        case deletionState = "sign-in-state/delete"
        case consoleState = "sign-in-state/console"
        case appleNonce = "apple-nonce"
        case consoleNonce = "console-nonce"
        /// The proof to the operators' provider that this server requested a code (PKCE, RFC 7636).
        case consoleVerifier = "console-verifier"

        var label: String { "farewell/pages/\(rawValue)/v2" }
    }

    private let derive: @Sendable (Purpose) -> PurposeKey

    /// - Parameter derive: Derives the key of a purpose from the installation's keys.
    init(_ derive: @escaping @Sendable (Purpose) -> PurposeKey) { self.derive = derive }

    subscript(_ purpose: Purpose) -> PurposeKey { derive(purpose) }
}
