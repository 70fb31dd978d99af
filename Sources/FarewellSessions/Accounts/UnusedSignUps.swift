// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// If addresses must be confirmed, an unused sign-up does not reserve its address (decision 46).
struct UnusedSignUps: AuthorityPart {
    let context: AuthorityContext

    /// Whether an address belongs to another user and is unavailable.
    func isHeld(_ email: String, on connection: any SQLConnection) async throws -> Bool {
        let isHeld =
            settings.emailConfirmation == .required ? store.isHeld(email: email) : store.isTaken(email: email)
        return try await connection.run(isHeld).scalar?.integer != 0
    }

    /// Takes an address from unused sign-ups, for the user who has just proved that it is theirs.
    func displace(from email: String, for user: UUID, on connection: any SQLConnection) async throws {
        guard settings.emailConfirmation == .required else { return }
        let displaced = try await connection.run(store.displace(email: email, for: user)).rows
        let statements = displaced.compactMap { $0.first?.identifier }.flatMap(store.forgetAddress(of:))
        guard !statements.isEmpty else { return }
        _ = try await connection.pipeline(statements)
    }

    /// Deletes sign-ups unused since their last mail. A sign-up that rows of the app refer to is emptied.
    func prune(before: Date) async throws {
        guard settings.emailConfirmation == .required else { return }
        while true {
            let rows = try await database.run(store.expiredSignUps(before: before)).rows
            for user in rows.compactMap({ $0.first?.identifier }) {
                do {
                    let deletion = store.deleteExpiredSignUp(user, before: before)
                    try await database.run(deletion)
                } catch let error as FarewellError where ["sql.23503", "sql.23001"].contains(error.code) {
                    try await database.transaction { connection in
                        let emptying = store.emptyExpiredSignUp(user, before: before)
                        guard try await connection.run(emptying).affected == 1 else { return }
                        _ = try await connection.pipeline(store.forgetAddress(of: user))
                    }
                }
            }
            if rows.count < 100 { return }
        }
    }
}
