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
            settings.emailConfirmation == .required
            ? store.users.isHeld(email: email) : store.users.isTaken(email: email)
        return try await isHeld.run(on: connection)
    }

    /// Takes an address from unused sign-ups, for the user who has just proved that it is theirs.
    func displace(from email: String, for user: UUID, on connection: any SQLConnection) async throws {
        guard settings.emailConfirmation == .required else { return }
        let displaced = try await store.signUps.displace(email: email, for: user).run(on: connection)
        let statements = displaced.flatMap(store.signUps.forgetAddress(of:))
        guard !statements.isEmpty else { return }
        _ = try await connection.pipeline(statements)
    }

    /// Deletes sign-ups unused since their last mail. A sign-up that rows of the app refer to is emptied.
    func prune(before: Date) async throws {
        guard settings.emailConfirmation == .required else { return }
        while true {
            let expired = try await store.signUps.expired(before: before).run(in: database)
            for user in expired {
                do {
                    let deletion = store.signUps.deleteExpired(user, before: before)
                    try await database.run(deletion)
                } catch let error as FarewellError where ["sql.23503", "sql.23001"].contains(error.code) {
                    try await database.transaction { connection in
                        let emptying = store.signUps.emptyExpired(user, before: before)
                        guard try await connection.run(emptying).affected == 1 else { return }
                        _ = try await connection.pipeline(store.signUps.forgetAddress(of: user))
                    }
                }
            }
            if expired.count < 100 { return }
        }
    }
}
