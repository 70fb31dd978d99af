// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import Foundation

/// Signatures of webhooks according to Standard Webhooks 1.0: HMAC-SHA-256 over `id.timestamp.body`.
package enum WebhookSignature {
    /// The value of `webhook-signature`: one signature for each secret, the newest first, so that a secret can be
    /// changed without a gap.
    package static func value(id: String, timestamp: Int64, body: [UInt8], secrets: [[UInt8]]) -> String {
        let signed = Data("\(id).\(timestamp).".utf8) + Data(body)
        return secrets.map { secret in
            let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: Data(secret)))
            return "v1," + Data(code).base64EncodedString()
        }.joined(separator: " ")
    }

    /// Seconds by which a message may be older or newer than now.
    package static let tolerance: Int64 = 300

    /// The longest list of signatures that is read, in bytes.
    private static let longest = 4_096

    /// Whether one of the signatures is ours over this message, and the message is recent.
    package static func isValid(
        _ signatures: String, id: String, timestamp: String, body: [UInt8], secrets: [[UInt8]], now: Int64
    ) -> Bool {
        guard signatures.utf8.count <= longest, signatures.isStreamSafe, let time = Int64(timestamp),
            (0...now + tolerance).contains(time), now - time <= tolerance
        else { return false }
        let signed = Data("\(id).\(timestamp).".utf8) + Data(body)
        let codes = signatures.split(separator: " ").prefix(8).compactMap { signature in
            signature.hasPrefix("v1,") ? Data(base64Encoded: String(signature.dropFirst(3))) : nil
        }
        return codes.contains { code in
            secrets.contains { secret in
                HMAC<SHA256>.isValidAuthenticationCode(
                    code, authenticating: signed, using: SymmetricKey(data: Data(secret)))
            }
        }
    }

    /// The bytes of a secret: `whsec_` and base64, 24 to 64 bytes.
    ///
    /// - Throws: `settings.wrong`.
    package static func secret(_ text: String) throws -> [UInt8] {
        let encoded = text.hasPrefix("whsec_") ? String(text.dropFirst("whsec_".count)) : text
        guard let data = Data(base64Encoded: encoded), (24...64).contains(data.count) else {
            throw FarewellError(
                "settings.wrong", .yoursToFix, "A webhook's secret is whsec_ and 24 to 64 bytes in base64.",
                remedy: "Create one: echo whsec_$(openssl rand -base64 32)")
        }
        return Array(data)
    }
}
