// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import Foundation
import Logging

/// The accounts that outlast their rows: they are in another database, or the plan has missed them.
///
/// Workers remove them through the outbox, and may be a moment behind. Once the outbox has seen an account gone,
/// nothing is removed for its erasure any longer: an account that is there then was made again under its identifier.
struct RemainingAccounts: Sendable {
    let requests: ErasureRequests
    /// Removes accounts; nil if another program does.
    let removal: AccountRemoval?
    let identity: ErasureIdentity

    /// Whether accounts are in another database than the rows.
    var areApart: Bool { removal?.isApart == true }

    /// Removes the account that an ended erasure is about. A ticket may be of another subject's erasure: it removes
    /// only the account of that erasure. Only for calls that request an erasure, never for a look.
    ///
    /// - Parameter credentials: The caller's credentials; the caller may be the subject; nil if they showed none.
    /// - Returns: Whether it is gone.
    func remove(
        after erasure: RequestedErasure, shown credentials: ErasureCredentials?, _ log: Logger
    ) async -> Bool {
        guard erasure.state == .done, let removal else { return true }
        do {
            guard try await isOwed(erasure) else { return true }
            if let credentials, let subject = try await identity.recognised(credentials),
                try await requests.isAbout(erasure, subject)
            {
                return await removal.remove([subject])
            }
            guard let subject = try await requests.subject(of: erasure) else { return !removal.isApart }
            return await removal.remove([subject])
        } catch let error as FarewellError where error.code == "seal.unreadable" && !removal.isApart {
            return true
        } catch {
            log.error(
                "The deletion of an account could not be confirmed.",
                metadata: ["erasure": "\(erasure.id.text)", "code": "\(FarewellError.code(of: error))"])
            return false
        }
    }

    /// Whether all data of an ended erasure but the account is deleted.
    func keeps(_ erasure: RequestedErasure) async throws -> Bool {
        guard erasure.state == .done, removal != nil, try await isOwed(erasure) else { return false }
        return try await isThere(erasure)
    }

    /// The same of many, by their numbers.
    func kept(among erasures: [RequestedErasure]) async throws -> Set<UUID> {
        guard removal != nil else { return [] }
        var kept: Set<UUID> = []
        for erasure in try await requests.undelivered(AccountRemoval.name, among: erasures) {
            let isKept = try await isThere(erasure)
            if isKept { kept.insert(erasure.id) }
        }
        return kept
    }

    /// Whether the account of an erasure still exists, and the outbox has yet to remove it. If its subject is no longer
    /// known, the account counts as kept, unless it was in the same database as the rows and was erased with them.
    private func isThere(_ erasure: RequestedErasure) async throws -> Bool {
        guard let removal else { return false }
        do {
            guard let subject = try await requests.subject(of: erasure) else { return removal.isApart }
            return try await removal.isThere(subject)
        } catch let error as FarewellError where error.code == "seal.unreadable" {
            return removal.isApart
        }
    }

    /// Whether the outbox has not seen yet that the account of an ended erasure is gone.
    private func isOwed(_ erasure: RequestedErasure) async throws -> Bool {
        try await !requests.undelivered(AccountRemoval.name, among: [erasure]).isEmpty
    }
}
