// SPDX-License-Identifier: Apache-2.0

import Farewell

/// A token that is valid in all other respects checked so far, but meant for other apps than the settings name.
package struct UnacceptableAudience: Error {
    /// The audience of the token, unchanged.
    package let audience: [String]

    package init(_ audience: [String]) { self.audience = audience }

    /// In the contract's form (1.7). The words are those of the token that the caller sent.
    var error: FarewellError {
        let names = audience.prefix(8).map { Shown.line($0, limit: 200) }.joined(separator: " ")
        return AuthorityRefusal.badIdentityToken.error("Unacceptable audience in id_token: [\(names)]")
    }
}
