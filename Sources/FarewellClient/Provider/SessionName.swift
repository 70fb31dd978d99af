// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The name of a session that the provider has not named.
enum SessionName {
    /// A name that no other session of the user has: by its first refresh token, which it does not reveal.
    static func made(for user: String, _ refreshToken: Token) -> String {
        let hash = refreshToken.reveal { DeviceCrypto.hash(Data($0.utf8)) }
        return "\(user)/\(Base64URL.text(hash.prefix(12)))"
    }
}
