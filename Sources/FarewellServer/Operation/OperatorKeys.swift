// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellKeys
import FarewellSessions
import Foundation

/// The keys of operators, made at the first start: files in the state directory that only their owner can read.
///
/// `service.key` is a token (JWT, HS256) whose role administers users; `follower.key` lets a service follow revocations
/// and has no other use.
struct OperatorKeys: Sendable {
    /// The secret that signed `service.key`.
    let secret: FarewellSessions.SharedSecret
    let followerKey: String

    private static let secretName = "operator.secret"
    private static let serviceName = "service.key"
    private static let followerName = "follower.key"

    /// The key in a file that the settings name.
    ///
    /// - Throws: `settings.unreadable`, `settings.unsafe`; `settings.wrong` for a key that can be guessed.
    static func followerKey(at path: String) throws -> String {
        try long(
            try SecretFile.text(path), "The key in feed.key-file",
            remedy: "Create one, for instance with openssl rand -hex 32.")
    }

    /// A key that cannot be guessed.
    private static func long(_ key: String, _ name: String, remedy: String) throws -> String {
        guard key.utf8.count >= 32 else {
            throw FarewellError("settings.wrong", .yoursToFix, "\(name) has fewer than 32 bytes.", remedy: remedy)
        }
        return key
    }

    /// Reads the keys, making those that are not there yet.
    ///
    /// - Throws: `settings.wrong` for a file that was cut off: a shorter key, or a token that the secret did not sign.
    static func prepared(
        in directory: StateDirectory, followerKey given: String?, now: Date, entropy: Entropy
    ) throws -> OperatorKeys {
        let secret = try long(
            try kept(secretName, in: directory) { Base64URL.text(entropy.bytes(48)) },
            "\(secretName) in the state directory",
            remedy: "Restore it from its back-up, or delete it and \(serviceName): the next start makes both.")
        let service = try kept(serviceName, in: directory) { serviceToken(signedBy: secret, now: now) }
        guard isSigned(service, by: secret) else {
            throw FarewellError(
                "settings.wrong", .yoursToFix, "\(serviceName) in the state directory was not signed by \(secretName).",
                remedy: "Restore both from one back-up, or delete \(serviceName): the next start makes another.")
        }
        let follower =
            try given
            ?? long(
                try kept(followerName, in: directory) { Base64URL.text(entropy.bytes(32)) },
                "\(followerName) in the state directory",
                remedy: "Restore it from its back-up, or delete it: the next start makes another.")
        return OperatorKeys(secret: try FarewellSessions.SharedSecret(secret), followerKey: follower)
    }

    private static func kept(_ name: String, in directory: StateDirectory, _ make: () -> String) throws -> String {
        try directory.text(name, limit: 4_096, making: make).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func serviceToken(signedBy secret: String, now: Date) -> String {
        let header = Base64URL.text(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8))
        let claims = #"{"iat":\#(Int64(now.timeIntervalSince1970)),"iss":"farewell","role":"service_role"}"#
        let input = header + "." + Base64URL.text(Array(claims.utf8))
        return input + "." + signature(of: input, by: secret)
    }

    private static func signature(of input: some StringProtocol, by secret: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(input.utf8), using: SymmetricKey(data: Data(secret.utf8)))
        return Base64URL.text(Array(code))
    }

    private static func isSigned(_ token: String, by secret: String) -> Bool {
        guard let dot = token.lastIndex(of: ".") else { return false }
        return token[token.index(after: dot)...] == signature(of: token[..<dot], by: secret)
    }
}
