// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// What is kept of a code that was sent to somebody: never the code.
struct OneTimeCode: Sendable {
    let user: UUID
    let purpose: MailPurpose
    let codeHash: [UInt8]
    let tokenHash: [UInt8]

    init(_ wish: MailWish, of user: UUID, _ keys: AuthorityKeys) {
        self.user = user
        purpose = wish.purpose
        codeHash = keys.hash(ofCode: wish.code, wish.purpose, address: wish.address, user: user)
        tokenHash = keys.hash(ofMailToken: wish.token)
    }
}
