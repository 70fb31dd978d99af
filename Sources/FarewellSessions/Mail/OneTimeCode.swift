// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The stored form of a code that was sent to a user: never the code.
struct OneTimeCode: Sendable {
    let user: UUID
    let purpose: MailPurpose
    /// `nil` if the mail has no digits.
    let codeHash: [UInt8]?
    let tokenHash: [UInt8]
    /// The source that requested it.
    let networkHash: [UInt8]
    let deviceHash: [UInt8]?
    /// With it, the link gives an authorization code.
    let challengeHash: [UInt8]?

    init(_ request: MailRequest, of user: UUID, _ keys: AuthorityKeys) {
        self.user = user
        purpose = request.purpose
        codeHash = request.code.nonEmpty.map {
            keys.hash(ofCode: $0, request.purpose, address: request.address, user: user)
        }
        tokenHash = keys.hash(ofMailToken: request.token)
        networkHash = request.networkHash(keys)
        deviceHash = request.deviceHash
        challengeHash = request.returning.challenge.map { keys.hash(of: $0) }
    }
}
