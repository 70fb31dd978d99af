// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import Foundation

/// Makes and checks password hashes, in turn, with the same work for every failure.
struct PasswordHasher: Sendable {
    let work: PasswordWork
    let cost: ScryptCost
    let entropy: Entropy
    let queue: HashQueue

    /// The result of a password check.
    struct Verdict: Sendable {
        let isRight: Bool
        /// Whether it is the password of a declined sign-up.
        let isDeclined: Bool
        /// A hash of today's kind and cost, where the stored one is of another.
        let replacement: String?
        /// The hash of the checked password with the salt and cost of the stored one; with a new salt where none is
        /// stored.
        let hash: String
    }

    /// The hash to store for a new password.
    func hash(_ password: String) async throws -> String {
        let salt = entropy.bytes(16)
        return try await queue.run { [self] in try hashText(password, salt: salt) }
    }

    /// Checks a password against the stored hash, which is `nil` for users without a password and for unknown users.
    ///
    /// With any stored hash, or none, the same functions run at the same cost: scrypt once and, as long as the store
    /// holds an imported hash, as much bcrypt as the costliest imported hash takes (cost `highestImport`). So the time
    /// of an answer reveals neither which users exist nor which were imported.
    ///
    /// - Parameter declined: The hash of a declined sign-up, which has the salt and cost of `stored`, so that one hash
    ///   is compared with both.
    func check(
        _ password: String, against stored: String?, orDeclined declined: String? = nil, highestImport: Int?
    ) async throws -> Verdict {
        let salt = entropy.bytes(16)
        return try await queue.run { [self] in
            // Neither function takes an empty password or one with a NUL; no stored hash is of one.
            let isPossible = !password.isEmpty && !password.utf8.contains(0)
            let tried = isPossible ? password : "decoy"
            func isHashed(_ made: String, as stored: String?) -> Bool {
                isPossible && stored.map { ConstantTime.isEqual(made.utf8, $0.utf8) } ?? false
            }
            let own = stored.flatMap(PasswordHash.init)
            switch own ?? declined.flatMap(PasswordHash.init) {
            case .scrypt(let storedCost, let storedSalt, _)?:
                let hash = try work.scrypt(Array(tried.utf8), storedSalt, storedCost)
                let made = PasswordHash.scrypt(storedCost, salt: storedSalt, hash: hash).text
                let isRight = isHashed(made, as: own?.text)
                if !isRight { try fill(tried, after: storedCost, salt: salt) }
                try fill(tried, upTo: highestImport)
                let isOld = isRight && storedCost != cost
                return Verdict(
                    isRight: isRight, isDeclined: isHashed(made, as: declined),
                    replacement: isOld ? try hashText(password, salt: salt) : nil, hash: made)
            case .bcrypt(let text)?:
                // bcrypt reads 72 bytes; a longer password was never hashed completely, and is compared as it was then.
                let made = try work.bcrypt(tried, text)
                let isRight = isHashed(made, as: own?.text)
                try fill(tried, after: PasswordHash.bcryptCost(text), upTo: highestImport)
                let replacement = try hashText(tried, salt: salt)
                return Verdict(
                    isRight: isRight, isDeclined: isHashed(made, as: declined),
                    replacement: isRight ? replacement : nil, hash: made)
            case nil:
                let made = try hashText(tried, salt: salt)
                try fill(tried, upTo: highestImport)
                return Verdict(isRight: false, isDeclined: false, replacement: nil, hash: made)
            }
        }
    }

    /// Runs bcrypt until all runs together, with the one at `cost` before, have taken as long as one hash of the cost
    /// `highest`. Each cost takes twice as long as the one below it: after a hash of cost c, hashes of the costs c, c +
    /// 1 and so on below `highest` are the rest.
    private func fill(_ password: String, after cost: Int? = nil, upTo highest: Int?) throws {
        guard let highest else { return }
        guard let cost else {
            _ = try work.bcrypt(password, Self.decoy(highest))
            return
        }
        for next in stride(from: cost, to: highest, by: 1) { _ = try work.bcrypt(password, Self.decoy(next)) }
    }

    /// Runs scrypt until it has taken, with the run at `stored`, the time of one hash of today's cost. A hash that
    /// costs more than today's takes longer, until the user's next sign-in.
    private func fill(_ password: String, after stored: ScryptCost, salt: [UInt8]) throws {
        guard stored.blockSize == cost.blockSize, stored.parallelism == cost.parallelism else { return }
        for logN in stride(from: stored.logN, to: cost.logN, by: 1) {
            let next = ScryptCost(logN: logN, blockSize: cost.blockSize, parallelism: cost.parallelism)
            _ = try work.scrypt(Array(password.utf8), salt, next)
        }
    }

    private func hashText(_ password: String, salt: [UInt8]) throws -> String {
        PasswordHash.scrypt(cost, salt: salt, hash: try work.scrypt(Array(password.utf8), salt, cost)).text
    }

    /// A hash of nothing in particular.
    private static func decoy(_ cost: Int) -> String {
        "$2a$\(cost < 10 ? "0" : "")\(cost)$7EqJtq98hPqEX7fNZaFWoO4.hmKQO3pQZc1n9hTqUqFQmbPYkXS1u"
    }
}
