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

    init(_ wish: MailWish, of user: UUID, _ keys: AuthorityKeys) {
        self.user = user
        purpose = wish.purpose
        codeHash = wish.code.nonEmpty.map { keys.hash(ofCode: $0, wish.purpose, address: wish.address, user: user) }
        tokenHash = keys.hash(ofMailToken: wish.token)
        networkHash = wish.networkHash(keys)
        deviceHash = wish.deviceHash
    }
}
