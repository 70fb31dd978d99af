// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSQL
import FarewellSessions
import Foundation

/// Ensures that the account is deleted when an erasure has ended, before the result is reported. The outbox tries again
/// for as long as necessary, and failures stay visible. Every other event goes on to `others`, which receive the end
/// once the account is deleted.
///
/// If the plan covers another database than the accounts', this removes the account. If both are in one database the
/// plan has removed it already: the authority checks it all the same, because the plan may have missed it.
struct AccountRemoval: EventDelivery, SubjectClosing {
    let authority: SessionAuthority
    let others: HTTPEventDelivery?
    /// Whether the accounts are in another database than the rows.
    var isApart = true

    /// The name in the outbox.
    static let name = "accounts"

    var endpoints: [EventEndpoint] {
        [
            EventEndpoint(
                name: Self.name, kinds: [.done], needsSubject: true, mayLackSubject: !isApart, attempts: nil,
                isFirst: true)
        ] + (others?.endpoints ?? [])
    }

    func deliver(_ event: OutgoingEvent, to endpoint: String) async throws(DeliveryFailure) {
        guard endpoint == Self.name else {
            guard let others else { throw DeliveryFailure("the endpoint is no longer configured", isFinal: true) }
            return try await others.deliver(event, to: endpoint)
        }
        do {
            if let subject = event.subject { try await remove(subject) }
        } catch {
            throw DeliveryFailure("the account stays: \(FarewellError.code(of: error))")
        }
    }

    func close(_ subjects: [String]) async throws { try await authority.close(subjects) }

    func closing(_ subjects: [String]) async -> [SQLStatement]? {
        isApart ? nil : authority.closing(subjects)
    }

    func closed(_ subjects: [String]) async { await authority.closed() }

    /// The outbox does the remaining work: if one account cannot be removed the others do not wait.
    func remove(_ subjects: [String]) async -> Bool {
        do {
            let remaining = try await authority.existingUsers(subjects.compactMap(UUID.init(text:)))
            for user in remaining { try await delete(user) }
            return true
        } catch {
            return false
        }
    }

    /// Whether the account is still there.
    func isThere(_ subject: String) async throws -> Bool { try await user(subject) != nil }

    func hasReturned(_ subject: String, since end: Date) async throws -> Bool {
        guard let user = try await user(subject) else { return false }
        return user.createdAt > end.addingTimeInterval(-Self.skew)
    }

    /// The clocks of two machines differ by seconds; an account that should be gone is much older.
    private static let skew: TimeInterval = 5

    private func user(_ subject: String) async throws -> User? {
        guard let id = UUID(text: subject) else { return nil }
        do {
            return try await authority.user(id)
        } catch let error as FarewellError where error.code == "auth.user_not_found" {
            return nil
        }
    }

    /// People of other issuers have no account here; one that is gone is fine.
    private func remove(_ subject: String) async throws {
        guard let user = UUID(text: subject), try await isThere(subject) else { return }
        try await delete(user)
    }

    private func delete(_ user: UUID) async throws {
        do {
            try await authority.deleteUser(user)
        } catch let error as FarewellError where error.code == "auth.user_not_found" {}
    }
}
