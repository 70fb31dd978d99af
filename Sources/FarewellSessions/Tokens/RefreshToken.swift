// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import FarewellKeys
import Foundation

/// A refresh token: the session, its number in the session's chain, and a secret of 256 bits.
///
/// The first secret is random. Each further one is derived from the one before under the installation's key, so only a
/// holder of a token and the key can make its successor: the same one in every process, after every restart. The store
/// keeps the active token's hash and nothing from which a token could be made
/// (docs/decisions/0006-refresh-successors-are-derived.md).
struct RefreshToken: Sendable, CustomStringConvertible, CustomReflectable {
    let session: UUID
    let counter: Int64
    /// All but the mark: the version, the session, the number and the secret.
    private let body: [UInt8]

    /// The stored hash.
    let hash: [UInt8]

    private static let version: UInt8 = 1
    private static let secretBegins = 1 + 16 + 8
    private static let bodyLength = secretBegins + 32
    private static let markLength = 16
    /// In hourly refreshes more than seven years.
    private static let longestWay: Int64 = 1 << 16

    private init(session: UUID, counter: Int64, body: [UInt8]) {
        self.session = session
        self.counter = counter
        self.body = body
        hash = body.withUnsafeBytes { SHA256.hash(data: $0) }.withUnsafeBytes { Array($0) }
    }

    static func first(session: UUID, entropy: Entropy) -> RefreshToken {
        RefreshToken(session: session, counter: 0, body: body(session, 0, entropy.bytes(32)))
    }

    func successor(_ keys: AuthorityKeys) -> RefreshToken {
        let code = keys.chain.bytes(for: Self.body(session, counter + 1, body[Self.secretBegins...]))
        return RefreshToken(session: session, counter: counter + 1, body: Self.body(session, counter + 1, code))
    }

    /// The token `steps` further on; `nil` for more steps than any client can be behind, as in a damaged row.
    func successor(after steps: Int64, _ keys: AuthorityKeys) -> RefreshToken? {
        guard (0...Self.longestWay).contains(steps) else { return nil }
        return (0..<steps).reduce(self) { token, _ in token.successor(keys) }
    }

    /// The token as a device keeps it: base64url without padding.
    func text(_ keys: AuthorityKeys) -> String { Base64URL.text(body + Self.mark(body, keys)) }

    /// Reads a token. Throws `auth.validation_failed` for what has not the form of one, and
    /// `auth.refresh_token_not_found` for one that was not made here.
    init(_ text: String, _ keys: AuthorityKeys) throws {
        guard text.utf8.count <= 200, let bytes = Base64URL.bytes(text),
            bytes.count == Self.bodyLength + Self.markLength, bytes[0] == Self.version
        else { throw AuthorityRefusal.validationFailed.error("Refresh token is not valid") }
        let (body, mark) = (Array(bytes[..<Self.bodyLength]), bytes[Self.bodyLength...])
        let isOurs = ConstantTime.isEqual(mark, Self.mark(body, keys))
        let counter = body[17..<Self.secretBegins].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard isOurs, let counter = Int64(exactly: counter) else { throw AuthorityRefusal.refreshTokenNotFound.error }
        self.init(session: UUID(bytes: body[1..<17]), counter: counter, body: body)
    }

    private static func body(_ session: UUID, _ counter: Int64, _ secret: some Collection<UInt8>) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(bodyLength + markLength)
        body.append(version)
        withUnsafeBytes(of: session.uuid) { body.append(contentsOf: $0) }
        withUnsafeBytes(of: counter.bigEndian) { body.append(contentsOf: $0) }
        body.append(contentsOf: secret)
        return body
    }

    private static func mark(_ body: [UInt8], _ keys: AuthorityKeys) -> ArraySlice<UInt8> {
        keys.mark.bytes(for: body).prefix(markLength)
    }

    var description: String { "RefreshToken(***)" }
    var customMirror: Mirror { Mirror(self, children: ["session": session, "counter": counter]) }
}

extension UUID {
    var bytes: [UInt8] { withUnsafeBytes(of: uuid) { Array($0) } }

    /// From 16 bytes; missing ones are zero.
    init(bytes: some Sequence<UInt8>) {
        var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &value) { buffer in
            var rest = bytes.makeIterator()
            for index in buffer.indices { buffer[index] = rest.next() ?? 0 }
        }
        self.init(uuid: value)
    }
}
