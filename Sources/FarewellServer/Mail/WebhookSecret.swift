// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// A secret that signs calls, of at least 24 bytes (Standard Webhooks 1.0). Its description is redacted.
public struct WebhookSecret: Sendable, CustomStringConvertible, CustomReflectable {
    let bytes: [UInt8]

    /// Reads `whsec_` and base64, also with `v1,` before it.
    ///
    /// - Throws: `settings.wrong` for anything else and for fewer than 24 bytes.
    public init(_ text: String) throws {
        let plain = text.replacing("v1,", with: "").replacing("whsec_", with: "")
        guard text.contains("whsec_"), let data = Data(base64Encoded: plain), data.count >= 24 else {
            throw FarewellError(
                "settings.wrong", .yoursToFix, "The secret of mail.hook is not whsec_ and 24 bytes or more in base64.",
                remedy: "Create one: echo whsec_$(openssl rand -base64 32)")
        }
        bytes = Array(data)
    }

    public var description: String { "***" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
