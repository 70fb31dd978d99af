// SPDX-License-Identifier: Apache-2.0
import FarewellKeys

/// The purposes of hashes under which something short or guessable is stored and looked up.
enum LookupPurpose: String, KeyPurpose {
    /// The digits of a mail.
    case code
    /// The token in the link of a mail.
    case mailToken = "mail-token"
    /// The code with which an app fetches the session of an opened link.
    case authorizationCode = "authorization-code"
    /// The challenge of an app that requested a mail.
    case codeChallenge = "code-challenge"
    /// The domain of a mail's recipient.
    case mailDomain = "mail-domain"
    case sourceNetwork = "source-network"
    case sourceDevice = "source-device"
    case sourceSession = "source-session"
    case revocationMark = "revocation-mark"
    case consoleSession = "console-session"
    /// The key or provider that opened a session of the console.
    case consoleOrigin = "console-origin"

    var label: String { "farewell/authority/lookup/\(rawValue)/v1" }
}
