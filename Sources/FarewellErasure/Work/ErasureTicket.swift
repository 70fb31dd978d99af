// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellKeys
import Foundation

/// Lets its holder read the state of an erasure after the account and all of its tokens are deleted.
///
/// Made by the client before it asks for the first time, so that no lost answer loses it; or by the server. Only its
/// hash is kept.
public struct ErasureTicket: Sendable, Hashable {
    public let text: String

    /// A ticket made by a client: 22 to 128 characters of base64url, which is room for 128 bits and more.
    ///
    /// - Throws: `erasure.malformed`.
    public init(_ text: String) throws(FarewellError) {
        guard (22...128).contains(text.utf8.count), Base64URL.bytes(text) != nil else {
            throw FarewellError(
                "erasure.malformed", .yoursToFix, "A ticket is 22 to 128 characters of base64url.",
                remedy: "Create 32 random bytes and encode them in base64url.")
        }
        self.text = text
    }

    /// The server's own ticket for one request: the same for the same request.
    ///
    /// - Parameter name: The request's idempotency key.
    init(for name: String, of erasure: UUID, keys: KeyStore) {
        text = keys.purposeKey(InstallationKey.erasureTicket).text([erasure.uuidString, name])
    }

    /// The ticket of that making which was handed out before, by the hash that is kept of it: earlier versions made it
    /// in another way.
    init(for name: String, of erasure: UUID, keys: KeyStore, kept hash: String?) {
        self.init(for: name, of: erasure, keys: keys)
        guard let hash, hash != self.hash else { return }
        var code = HMAC<SHA256>(key: keys.derivedKey(for: InstallationKey.formerErasureTicket).key)
        code.update(data: Data("\(erasure.uuidString)/\(name)".utf8))
        self = ErasureTicket(made: Base64URL.text(Array(code.finalize())))
    }

    private init(made text: String) { self.text = text }

    /// The stored hash. A ticket has as many bits as its maker gave it, so a plain hash reveals nothing.
    var hash: String { SHA256.hash(data: Data(text.utf8)).hexadecimal }
}

extension ErasureTicket: CustomStringConvertible, CustomDebugStringConvertible {
    public var description: String { "***" }
    public var debugDescription: String { "***" }
}
