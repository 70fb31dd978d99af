// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation
import Logging

/// Delivers the mails of the outbox.
struct MailDelivery: AuthorityPart {
    let context: AuthorityContext
    let outbox: MailOutbox
    let unusedSignUps: UnusedSignUps

    /// Delivers requested mails until the task is cancelled. Only this task claims them, and each is then sent by a
    /// task of its own, so that a mail that takes long occupies only its own slot.
    func deliverRegularly(by sender: any MailSending) async {
        let slots = Guarded(MailSlots())
        // At once: an earlier process may have left some. Then now and then: another server may have.
        let wakes = WakeStream(outbox.wakes, every: .seconds(5), sleep: environment.sleep)
        await withDiscardingTaskGroup { group in
            for await _ in wakes.stream {
                while let due = await attempt("Claiming mail", { try await claimMail(at: slots) }) ?? nil {
                    group.addTask {
                        _ = await attempt("Sending mail") { try await deliver(due, by: sender, at: slots) }
                    }
                }
            }
        }
    }

    /// Delivers what is due now.
    func deliverMail(by sender: any MailSending) async throws {
        let slots = Guarded(MailSlots())
        try await withThrowingTaskGroup(of: Void.self) { group in
            repeat {
                while let due = try await claimMail(at: slots) {
                    group.addTask { try await deliver(due, by: sender, at: slots) }
                }
            } while try await group.next() != nil
        }
    }

    /// Claims a mail for a free slot, and takes the slot. No other task claims for the same slots, so that no mail is
    /// claimed for which there is none.
    private func claimMail(at slots: Guarded<MailSlots>) async throws -> DueMail? {
        let full: [[UInt8]]? = slots.withLock { $0.areTaken ? nil : $0.full }
        guard !Task.isCancelled, let full, let due = try await claimMail(besides: full) else { return nil }
        _ = slots.withLock { $0.acquire(for: due.domain) }
        return due
    }

    /// Delivers a mail at its slot. The next claim follows if a mail may have waited for the slot.
    private func deliver(_ due: DueMail, by sender: any MailSending, at slots: Guarded<MailSlots>) async throws {
        defer {
            if slots.withLock({ $0.leave(due.domain) }) { outbox.wake() }
        }
        try await attempt(due, by: sender)
    }

    /// Delivers a mail. If the server stops meanwhile, the mail is available again at once:
    /// another server, or this one after its restart, sends it.
    private func attempt(_ due: DueMail, by sender: any MailSending) async throws {
        do {
            try Task.checkCancellation()
            try await deliver(due, by: sender)
        } catch {
            guard Task.isCancelled else { throw error }
            try? await release(due)
            throw CancellationError()
        }
    }

    /// Makes a claimed mail available again.
    private func release(_ due: DueMail) async throws {
        _ = try await uncancelled(store.mail.release(due.id, claim: due.attempts))
    }

    /// Completes a statement even if the task is cancelled: a cancelled task writes nothing, and does not learn whether
    /// a statement that it began has taken effect.
    private func uncancelled(_ statement: SQLStatement) async throws -> SQLResult {
        try await environment.completing { try await database.run(statement) }
    }

    /// Claims a mail that no other server has claimed; it becomes available again after a minute if this process dies.
    private func claimMail(besides domains: [[UInt8]]) async throws -> DueMail? {
        let now = environment.now()
        let claim = store.mail.claim(now: now, until: now.addingTimeInterval(60), besides: domains)
        return try claim.answer(try await retrying { try await uncancelled(claim.statement) })
    }

    private func deliver(_ due: DueMail, by sender: any MailSending) async throws {
        let request = try MailRequest.opened(due.sealed, as: due.id, keys)
        let isLate = clock.isTrusted && environment.now().timeIntervalSince(due.requestedAt) >= request.purpose.life
        if isLate { environment.log.error("A mail could not be sent before it expired.") }
        guard !isLate, let mail = try await prepared(due, request) else {
            try await finish(due)
            // If several users may be meant, each has a mail of their own now.
            return outbox.wake()
        }
        do {
            try await sender.send(mail)
        } catch  where !Task.isCancelled {
            let attempts = Int(min(due.attempts, 1_000))
            let pause = RetryPolicy.mails.delay(afterFailures: attempts, chance: environment.chance())
            let later = store.mail.postpone(due.id, until: environment.now().addingTimeInterval(pause / .seconds(1)))
            try await database.run(later)
            environment.log.warning(
                "A mail was not accepted; it is tried again.",
                metadata: ["purpose": "\(mail.purpose.rawValue)", "error": "\(FarewellError.text(of: error))"])
            return
        }
        try await finish(due)
    }

    private func finish(_ due: DueMail) async throws {
        // It has been sent, or is not to be sent: also when the server is stopping.
        _ = try await uncancelled(store.mail.delete(due.id))
    }

    /// The mail, with its code stored; `nil` if it concerns no user, if the user just received one, or if its code was
    /// used or replaced meanwhile.
    private func prepared(_ due: DueMail, _ request: MailRequest) async throws -> Mail? {
        let now = environment.now()
        return try await database.transaction { connection in
            let source = [request.networkHash(keys)] + (request.deviceHash.map { [$0] } ?? [])
            let found = try await store.mail.recipients(of: request, from: source).run(on: connection)
            if found.count > 1 { try await share(request, among: found, on: connection) }
            guard found.count == 1, let user = found.first?.user,
                let account = try await store.accounts.find(user).run(on: connection),
                isCurrent(request, for: account.user, at: now)
            else { return nil }
            let isTakenByAnother = try await isTakenByAnother(request, on: connection)
            if request.purpose.bringsCode, !isTakenByAnother,
                try await !hasValidCode(due, request, of: user, on: connection)
            {
                return nil
            }
            if !due.isPrepared {
                _ = try await connection.pipeline(
                    [store.mail.prepare(due.id, of: user)] + store.users.noteMail(request.purpose, of: user, now: now))
            }
            guard !isTakenByAnother else { return nil }
            return Mail(
                id: due.id, purpose: request.purpose, address: request.address, code: request.code,
                token: request.token, user: account.user, redirect: request.returning.address)
        }
    }

    /// If several users want the same new address, each gets a mail of their own. Only users who know the requesting
    /// source get digits: no caller may guess at several codes at once.
    private func share(
        _ request: MailRequest, among found: [MailRecipient], on connection: any SQLConnection
    ) async throws {
        let statements = try found.map { recipient in
            let permit = MailPermit(
                allowsDigits: !request.code.isEmpty && recipient.knowsSource, network: request.networkHash(keys),
                device: request.deviceHash)
            return try outbox.request(
                request.purpose, to: request.address, user: recipient.user, permit, returning: request.returning)
        }
        _ = try await connection.pipeline(statements)
    }

    /// Whether a requested address belongs to another user. The user object reports a sent mail, as for any address;
    /// none is sent, because the address is not available.
    private func isTakenByAnother(_ request: MailRequest, on connection: any SQLConnection) async throws -> Bool {
        guard request.purpose == .emailChange else { return false }
        return try await unusedSignUps.isHeld(request.address, on: connection)
    }

    /// Whether the code is valid, stored now or at an earlier attempt.
    private func hasValidCode(
        _ due: DueMail, _ request: MailRequest, of user: UUID, on connection: any SQLConnection
    ) async throws -> Bool {
        let code = OneTimeCode(request, of: user, keys)
        guard due.isPrepared else {
            return try await connection.run(store.codes.keep(code, now: environment.now())).affected == 1
        }
        return try await store.codes.isKept(code).run(on: connection)
    }

    private func isCurrent(_ request: MailRequest, for user: User, at now: Date) -> Bool {
        guard user.deletedAt == nil, !user.isBanned(at: now) else { return false }
        return switch request.purpose {
        case .signUp: user.emailConfirmedAt == nil && user.email == request.address
        case .recovery, .reauthentication: user.email == request.address
        case .emailChange: user.newEmail == request.address
        case .emailChanged, .erasureRequested: true
        }
    }
}

extension RetryPolicy {
    /// Mails that were not accepted: from 15 seconds to eight minutes.
    fileprivate static let mails = RetryPolicy(first: .seconds(15), longest: .seconds(480))
}
