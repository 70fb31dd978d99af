// SPDX-License-Identifier: Apache-2.0

import FarewellKeys

/// The keys of the pages and of the console. Each is for one purpose, so that a value for one of them is useless
/// for another.
struct PageKeys: Sendable {
    /// The purpose of a key.
    enum Purpose: String, Sendable, CaseIterable {
        case accountForm = "account-form"
        case consoleForm = "console-form"
        case accountState = "sign-in-state/account"
        case deletionState = "sign-in-state/delete"
        case consoleState = "sign-in-state/console"
        case appleNonce = "apple-nonce"
        case consoleNonce = "console-nonce"
        /// The proof to the operators' provider that this server requested a code (PKCE, RFC 7636).
        case consoleVerifier = "console-verifier"
    }

    private let derive: @Sendable (String) -> PurposeKey

    /// - Parameter derive: Derives the key of a label from the installation's keys.
    init(_ derive: @escaping @Sendable (String) -> PurposeKey) { self.derive = derive }

    subscript(_ purpose: Purpose) -> PurposeKey { derive("farewell/pages/\(purpose.rawValue)/v2") }
}
