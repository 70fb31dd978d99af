// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// What is kept of a code that was sent to somebody: never the code.
struct OneTimeCode: Sendable {
    let user: UUID
    let purpose: MailPurpose
    /// `nil` where the mail has no digits.
    let codeHash: [UInt8]?
    let tokenHash: [UInt8]
    /// Who asked for it.
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
