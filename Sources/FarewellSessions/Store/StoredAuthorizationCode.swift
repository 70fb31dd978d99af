// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The stored form of an authorization code: never the code.
struct StoredAuthorizationCode: Sendable {
    let codeHash: [UInt8]
    let user: UUID
    /// The purpose of the mail whose link was opened.
    let purpose: MailPurpose
    let challengeHash: [UInt8]
    let issuedAt: Date
}
