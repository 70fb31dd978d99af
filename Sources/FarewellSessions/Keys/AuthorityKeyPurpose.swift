// SPDX-License-Identifier: Apache-2.0
import FarewellKeys

/// The keys of the tokens and tickets of sessions.
enum AuthorityKeyPurpose: String, KeyPurpose {
    case refreshChain = "refresh-chain"
    case refreshMark = "refresh-mark"
    case signOutTicket = "sign-out-ticket"

    var label: String { "farewell/authority/\(rawValue)/v1" }
}
