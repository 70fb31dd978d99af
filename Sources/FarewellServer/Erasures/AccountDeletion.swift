// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellSessions
import Foundation
import Logging

/// Deletes accounts: checks who may request a deletion, follows the request, and checks whether the account is deleted.
///
/// Routes, pages and console call this service, and it contains no HTTP. It connects erasures and sessions: `requests`,
/// the engine's part, knows subjects and no accounts.
struct AccountDeletion: Sendable {
    let serving: ErasureServing
    let authority: SessionAuthority
    /// How often one subject may have an erasure previewed; nil sets no limit.
    let previews: RateLimit?
    let world: ServerWorld

    init(_ serving: ErasureServing, authority: SessionAuthority, previews: RateLimit? = nil, world: ServerWorld) {
        self.serving = serving
        self.authority = authority
        self.previews = previews
        self.world = world
    }

    /// Records requests and returns their state. For parts that concern an erasure and no account.
    var requests: ErasureRequests { serving.requests }
    /// Tells by a token whose account it is.
    var identity: ErasureIdentity {
        ErasureIdentity(authority: authority, foreign: serving.foreign, now: { [requests] in requests.now })
    }
    /// Checks whether a user has proved their identity recently.
    var proof: SubjectProof { SubjectProof(requests: requests, authority: authority, now: world.now) }
    /// The accounts that outlast their rows.
    var accounts: RemainingAccounts {
        RemainingAccounts(requests: requests, removal: serving.accounts, identity: identity)
    }

    // MARK: Request

    /// Requests an erasure of the caller's account.
    ///
    /// A repeated request needs no second proof; with the same one it gets the same answer, also while the first is
    /// being accepted. A caller whose account is gone learns what became of it.
    ///
    /// - Parameter objecting: Throws the objection to an erasure of a subject who has proved their identity.
    /// - Throws: `UnprovenIdentity`; `erasure.…`.
    func request(
        _ request: ErasureRequest, by credentials: ErasureCredentials,
        objecting: ((ErasurePerson) async throws -> Void)? = nil
    ) async throws -> ErasureAnswer {
        var request = request
        // Other awaited requests may wait for this one, to be accepted with it.
        let arrival = request.isAwaited ? requests.arriving.begin() : nil
        defer { if let arrival { requests.arriving.end(arrival) } }
        request.arrival = arrival
        let person: ErasurePerson
        do {
            person = try await identity.person(credentials)
        } catch let refusal as UnprovenIdentity {
            if let ticket = request.ticket, let erasure = try await requests.erasure(ticket) {
                return ErasureAnswer(erasure: erasure, ticket: ticket, isKnown: true)
            }
            if let subject = try await identity.recognised(credentials),
                let gone = try await requests.recall(subject, request), gone.erasure.state.isBegun
            {
                return gone
            }
            throw refusal
        }
        // Where nothing can refuse the request, it finds the earlier answer itself.
        let mayRefuse = objecting != nil || proof.mayRefuse(person, credentials)
        if mayRefuse, request.idempotencyKey != nil, let known = try await requests.repeated(person.subject, request) {
            return known
        }
        var proven = request
        do {
            proven.proof = try await proof.needed(of: person, credentials, for: .requestErasure)
        } catch let stale as FarewellError where stale.code == SubjectProof.stale.code {
            // Users of other issuers keep their tokens after their erasure and cannot sign in again. An existing
            // account of our own authority may be another one than the erased account.
            guard person.caller == nil, let gone = try await requests.recallGone(person.subject, request) else {
                throw stale
            }
            return gone
        }
        if let known = try await requests.answered(byProof: proven, of: person.subject) { return known }
        try await objecting?(person)
        let answer = try await self.request(proven, of: person)
        if answer.isKnown { try await requests.useProof(of: proven, by: person.subject, for: answer.erasure) }
        return answer
    }

    /// Requests an erasure of a user who has proved their identity. While the user can still cancel it, a mail informs
    /// them, because someone else may have requested it.
    func request(_ request: ErasureRequest, of person: ErasurePerson) async throws -> ErasureAnswer {
        let answer = try await accepted(request, of: person)
        if !answer.isKnown, answer.erasure.state == .grace, person.caller != nil {
            try await authority.warn(ofErasureOf: person.subject)
        }
        return answer
    }

    /// If the account is in another database, a user without rows in the plan's database still has an account; it is
    /// erased like every other account.
    private func accepted(_ given: ErasureRequest, of person: ErasurePerson) async throws -> ErasureAnswer {
        var request = given
        request.tokenLife = person.tokenLife
        request.askedAt = person.askedAt
        request.tokenIssuedAt = person.tokenIssuedAt
        request.sessionBeganAt = person.caller?.session?.createdAt
        do {
            return try await requests.request(person.subject, request)
        } catch let error as FarewellError where error.code == ErasureRequests.unknown.code {
            guard accounts.areApart, person.caller != nil else { throw error }
            return try await requests.request(ofAccount: person.subject, request)
        }
    }

    // MARK: Outcome

    /// Waits for the end of an erasure that may end soon, and removes the account that it leaves.
    ///
    /// - Parameters:
    ///   - handed: The erasure in the hands of a worker of this process.
    ///   - limit: How long to wait at most.
    ///   - credentials: The caller's credentials; the caller may be the subject; nil if they showed none.
    /// - Returns: nil if the erasure is no longer known.
    /// - Throws: `erasure.cancelled`.
    func outcome(
        of erasure: RequestedErasure, handed: HandedErasure? = nil, waiting limit: Duration,
        shown credentials: ErasureCredentials?, _ log: Logger
    ) async throws -> DeletionOutcome? {
        var last: RequestedErasure? = erasure
        if erasure.mayEndSoon, limit > .zero {
            last = try await requests.wait(for: erasure.id, handed: handed, atMost: limit)
        }
        guard let last else { return nil }
        guard last.state != .cancelled else { throw Self.cancelled }
        if last.state == .done, handed?.isAccountRemoved == true { return DeletionOutcome(erasure: last) }
        let isGone = await accounts.remove(after: last, shown: credentials, log)
        return DeletionOutcome(erasure: last, keepsAccount: !isGone)
    }

    /// Requests an erasure of the caller's account, resumes one that waits for a system, and waits for its end.
    ///
    /// - Parameter wait: How long the caller can wait for the end, asked once the erasure is accepted.
    /// - Returns: An outcome without an erasure where only the authority's own row was left of the account; now it is
    ///   deleted.
    func delete(
        _ request: ErasureRequest, by credentials: ErasureCredentials, _ log: Logger, waiting wait: () -> Duration,
        objecting: ((ErasurePerson) async throws -> Void)? = nil
    ) async throws -> DeletionOutcome {
        do {
            var awaited = request
            awaited.isAwaited = serving.wait > 0
            let answer = try await self.request(awaited, by: credentials, objecting: objecting)
            let erasure = try await requests.retrySystems(of: answer.erasure)
            return try await outcome(
                of: erasure, handed: answer.handed, waiting: wait(), shown: credentials, log) ?? DeletionOutcome()
        } catch let error as FarewellError where error.code == ErasureRequests.unknown.code {
            // Where an account of another issuer has no data and was never erased, nothing was deleted.
            guard let caller = try await identity.person(credentials).caller else { throw error }
            // The plan does not cover this account, so the authority's own row is all there is.
            do {
                try await authority.deleteUser(caller.user.id)
            } catch let error as FarewellError where error.code == "auth.user_not_found" {
                // A simultaneous repeat of the call deleted it.
            }
            return DeletionOutcome()
        }
    }

    static let cancelled = FarewellError(
        "erasure.cancelled", .yoursToFix, "This request was cancelled.",
        remedy: "Send a new request with another Idempotency-Key.")

    /// Whether the token was good and its account is no longer there: the answer to the first call was lost.
    ///
    /// - Throws: errors that say nothing of the token or the account, such as the database's.
    func isGone(_ credentials: ErasureCredentials) async throws -> Bool {
        guard let subject = try await identity.recognised(credentials), let id = UUID(text: subject) else {
            return false
        }
        do {
            _ = try await authority.user(id)
            return false
        } catch let error as FarewellError where error.code == "auth.user_not_found" {
            return true
        }
    }

    // MARK: Looking

    /// An erasure, for the holder of its ticket, its subject, and operators. Other callers get `erasure.not-found`.
    ///
    /// - Throws: `erasure.not-found`; errors of the database if the token cannot be checked now.
    func erasure(
        _ id: UUID?, ticket: String?, shown credentials: ErasureCredentials
    ) async throws -> RequestedErasure {
        guard let id else { throw ErasureRequests.notFound }
        if let ticket {
            guard let erasure = try await erasure(ticket: ticket), erasure.id == id else {
                throw ErasureRequests.notFound
            }
            return erasure
        }
        guard let token = try? credentials.token.get(), let erasure = try await requests.erasure(id) else {
            throw ErasureRequests.notFound
        }
        if let person = try await identity.personIfProven(credentials),
            try await requests.isAbout(erasure, person.subject)
        {
            return erasure
        }
        guard try await identity.isAdministrator(token) else { throw ErasureRequests.notFound }
        return erasure
    }

    /// Whether a token that showed an erasure still does. If the deletion itself has ended its session, it does.
    ///
    /// - Throws: errors of the database if the token cannot be checked now.
    func stillShows(_ erasure: RequestedErasure, to credentials: ErasureCredentials) async throws -> Bool {
        do {
            _ = try await self.erasure(erasure.id, ticket: nil, shown: credentials)
            return true
        } catch let error as FarewellError where error.code == ErasureRequests.notFound.code {
            guard let subject = try await identity.recognised(credentials) else { return false }
            return try await requests.isAbout(erasure, subject)
        }
    }

    /// The erasure of a ticket; nil for malformed text and for an unknown ticket.
    func erasure(ticket text: String?) async throws -> RequestedErasure? {
        guard let text, let ticket = try? ErasureTicket(text) else { return nil }
        return try await requests.erasure(ticket)
    }

    /// An erasure as its followers see it.
    func view(of erasure: RequestedErasure) async throws -> ErasureView {
        ErasureView(erasure, keepsAccount: try await accounts.keeps(erasure))
    }

    /// The effects of an erasure of a user now. It is empty if the user has only an account, in another database than
    /// the rows.
    ///
    /// - Throws: `TooManyCalls`; `subject.unknown`, `subject.malformed`.
    func preview(of person: ErasurePerson) async throws -> Preview {
        if case .refused(let seconds)? = previews?.take(person.subject) { throw TooManyCalls(retryAfter: seconds) }
        do {
            return try await serving.engine.preview(person.subject)
        } catch let error as FarewellError where error.code == "subject.unknown" {
            guard serving.accounts != nil, person.caller != nil else { throw error }
            return .nothing
        }
    }

    /// How many rows of a user would stay if only the authority's own row were deleted.
    func rowsThatStay(of person: ErasurePerson) async throws -> Int {
        try await serving.engine.rowsThatStay(of: person.subject)
    }

    /// The signed receipt; nil while there is none, and while the account is still there.
    func signedReceipt(of erasure: RequestedErasure) async throws -> String? {
        guard let signed = erasure.receipt, try await !accounts.keeps(erasure) else { return nil }
        return signed
    }

    /// The receipt as a page of HTML; nil while there is none.
    func receiptPage(of erasure: RequestedErasure) async throws -> String? {
        guard let signed = try await signedReceipt(of: erasure) else { return nil }
        return ReceiptPage.html(try await serving.engine.openReceipt(of: erasure.id), jws: signed)
    }

    /// Signals when a follower should look again: at once, after progress by a worker of this process, and every
    /// second. Ends when the server stops or the follower has gone.
    func wakes(of seat: Followers.Seat) -> some AsyncSequence & Sendable {
        let signals = requests.signals
        return seat.wakes(signals.progress.wakes, signals.ends.wakes, each: .seconds(1), sleep: world.sleep)
    }

    // MARK: Cancel

    /// Cancels an erasure for its subject.
    ///
    /// - Throws: `UnprovenIdentity`; `erasure.not-found`, `erasure.too-late`, `erasure.sign-in-stale`.
    func cancel(_ id: UUID?, by credentials: ErasureCredentials) async throws -> RequestedErasure {
        let person = try await identity.person(credentials)
        guard let id, let erasure = try await requests.erasure(id),
            try await requests.isAbout(erasure, person.subject)
        else { throw ErasureRequests.notFound }
        if erasure.state != .cancelled { try await proof.require(of: person, credentials, for: .cancelErasure) }
        return try await requests.cancel(id, by: person.subject)
    }
}

extension RequestedErasure {
    /// Whether it may end while a call waits: an erasure in grace or on hold does not.
    var mayEndSoon: Bool { !state.isAtRest && state != .grace && holdReason == nil }
}
