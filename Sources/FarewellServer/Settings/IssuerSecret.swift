// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellVerifier

/// The secret by which an issuer signs its tokens (HS256). Shown nowhere.
struct IssuerSecret: Sendable, CustomStringConvertible, CustomReflectable {
    private let text: String

    /// - Throws: `settings.wrong` for a key of the project, which is easily confused with it.
    init(_ text: String, of setting: String) throws {
        guard ProjectKey(text) == nil else {
            throw FarewellError(
                "settings.wrong", .yoursToFix, "\(setting) contains an API key of the project, not its JWT secret.",
                remedy: "Copy the legacy JWT secret from the project's settings (JWT Keys), or leave it out.")
        }
        self.text = text
    }

    /// The given keys and the secret, which counts under any key name of the issuer.
    func joined(to keys: IssuerKeys) throws -> IssuerKeys { try keys.andSecret(text).withSecretUnderAnyName }

    /// Whether it signed a legacy key of the project.
    func signed(_ key: String) -> Bool { ProjectKey.isSigned(key, by: text) }

    var description: String { "***" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
