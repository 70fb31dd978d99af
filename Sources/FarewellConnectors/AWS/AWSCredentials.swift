// SPDX-License-Identifier: Apache-2.0

/// A key of AWS. Its description is redacted.
package struct AWSCredentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package let accessKeyID: String
    package let secretAccessKey: String
    /// Only of a key that is lent for a while.
    package let sessionToken: String?
    /// When a lent key ends, in seconds since 1970.
    package let expires: Double?

    package init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil, expires: Double? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
        self.expires = expires
    }

    func isSame(as other: AWSCredentials) -> Bool {
        accessKeyID.isByteEqual(to: other.accessKeyID) && secretAccessKey.isByteEqual(to: other.secretAccessKey)
            && (sessionToken ?? "").isByteEqual(to: other.sessionToken ?? "")
    }

    package var description: String { "***" }
    package var debugDescription: String { "***" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
