// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import Foundation

/// Makes and checks password hashes, in turn, with the same work for every failure.
struct PasswordKeeper: Sendable {
    let work: PasswordWork
    let cost: ScryptCost
    let entropy: Entropy
    let queue: HashQueue

    /// What checking a password found.
    struct Verdict: Sendable {
        let isRight: Bool
        /// A hash of today's kind and cost, where the stored one is of another.
        let replacement: String?
    }

    /// The hash to store for a new password.
    func hash(_ password: String) async throws -> String {
        let salt = entropy.bytes(16)
        return try await queue.run { [self] in try hashText(password, salt: salt) }
    }

    /// Checks a password against what is stored, which is `nil` for people without a password and for nobody.
    ///
    /// Whatever is stored, or nothing, the same functions run at the same cost: scrypt once, and bcrypt once more as
    /// long as `hasImports`, the store holding any imported hash. So an answer's time does not tell who exists.
    func check(_ password: String, against stored: String?, hasImports: Bool) async throws -> Verdict {
        let salt = entropy.bytes(16)
        return try await queue.run { [self] in
            // Neither function takes an empty password or one with a NUL; no stored hash is of one.
            let isPossible = !password.isEmpty && !password.utf8.contains(0)
            let tried = isPossible ? password : "decoy"
            switch stored.flatMap(PasswordHash.init) {
            case .scrypt(let storedCost, let storedSalt, let hash)?:
                let made = try work.scrypt(Array(tried.utf8), storedSalt, storedCost)
                let isRight = equals(made, hash) && isPossible
                if hasImports { _ = try work.bcrypt(tried, Self.decoy) }
                let isOld = isRight && storedCost != cost
                return Verdict(isRight: isRight, replacement: isOld ? try hashText(password, salt: salt) : nil)
            case .bcrypt(let text)?:
                // bcrypt reads 72 bytes; what is longer was never hashed whole, and is compared as it was then.
                let isRight = try equals(Array(work.bcrypt(tried, text).utf8), Array(text.utf8)) && isPossible
                let replacement = try hashText(tried, salt: salt)
                return Verdict(isRight: isRight, replacement: isRight ? replacement : nil)
            case nil:
                _ = try hashText(tried, salt: salt)
                if hasImports { _ = try work.bcrypt(tried, Self.decoy) }
                return Verdict(isRight: false, replacement: nil)
            }
        }
    }

    private func hashText(_ password: String, salt: [UInt8]) throws -> String {
        PasswordHash.scrypt(cost, salt: salt, hash: try work.scrypt(Array(password.utf8), salt, cost)).text
    }

    private func equals(_ made: [UInt8], _ stored: [UInt8]) -> Bool { HMAC<SHA256>.isValid(made, stored) }

    /// A hash of nothing in particular, at the cost at which most were made.
    private static let decoy = "$2a$10$7EqJtq98hPqEX7fNZaFWoO4.hmKQO3pQZc1n9hTqUqFQmbPYkXS1u"
}
