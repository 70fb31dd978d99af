// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// The names of a subject in third-party systems.
///
/// If a system's column is that of the session authority's sealed tokens, the name is the token itself with the client
/// that it was issued to, because Sign in with Apple needs both to revoke it: `org.example.app r1a2b3…`.
struct SystemNames: Sendable {
    let keys: KeyStore
    let dialect: SQLDialect

    /// In order, each once.
    ///
    /// - Throws: `authority.other-keys` when a token was sealed with the keys of another state directory.
    func names(in system: SystemPlan, of subject: SealedSubject) throws -> [String] {
        guard case .column(let column) = system.person else { return [subject.key.text] }
        let found = (subject.files[system.step] ?? []).exactlyDistinct
        guard SignInCredential.isOne(column, dialect) else { return found }
        let seal = AuthoritySeal(keys, entropy: .live)
        let user = UUID(text: subject.key.text)
        return try found.map { name in
            let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
            guard let user, parts.count == 2, let sealed = Self.bytes(parts[0]) else {
                throw FarewellError(
                    "plan.system", .yoursToFix,
                    "The system \(system.name) needs a user's sealed tokens, but the subject's key is no user id.",
                    remedy: "Use the table of users as the plan's subject, or one whose key is the user's id.")
            }
            let token = try seal.open(sealed, .providerCredential, of: ["apple", user.text])
            return "\(parts[1]) \(String(decoding: token, as: UTF8.self))"
        }
    }

    /// Bytes as PostgreSQL writes them: `\x0a1b`.
    private static func bytes(_ text: String) -> [UInt8]? {
        text.hasPrefix("\\x") ? text.utf8.dropFirst(2).hexadecimalBytes : nil
    }
}
