// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Users, for administrators and the erasure of accounts.
extension SessionAuthority {
    /// Informs a user of this authority that their account is going to be erased, in case another person requested it.
    /// Without mail, and for users without an address, nothing happens.
    ///
    /// - Parameter subject: The user's key; an unknown key is ignored.
    public func warn(ofErasureOf subject: String) async throws {
        try await parts.codeMails.warn(ofErasureOf: subject)
    }
}
