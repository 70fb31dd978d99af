// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// Erasures over HTTP: asked for by the person themself, looked at by ticket, taken back in grace.
struct ErasureRoutes: Sendable {
    let server: FarewellServer
    let serving: ErasureServing

    var requests: ErasureRequests { serving.requests }
    var identity: ErasureIdentity { ErasureIdentity(authority: server.authority, foreign: serving.foreign) }

    var all: [Route] {
        [request, find, status, cancel, receipt, receiptPage, preview, stepUp, ErasureEventsRoute(routes: self).route]
            + operators + ContractRoutes(routes: self).all + SystemRoutes(requests: requests).all
            + (serving.appleEvents.map { [$0.route(server)] } ?? [])
    }

    static let root = "/v1/erasures"
    static let ticketParameter = RouteOperation.Parameter(
        name: "X-Farewell-Ticket", place: .header, schema: .sized(22...128),
        meaning: "The ticket of the erasure; it opens nothing else.")
    static let idParameter = RouteOperation.Parameter(
        name: "id", place: .path, schema: .formatted("uuid"), meaning: "Which.")
    static let stepUpParameter = RouteOperation.Parameter(
        name: "X-Farewell-Step-Up", place: .header, schema: .text,
        meaning: "A proof from /v1/step-ups, where the sign-in is not recent.")

    // MARK: Asking

    private var request: Route {
        Route(
            .post, Self.root,
            RouteOperation(
                id: "requestErasure", summary: "Have my account erased", tag: "erasures", authority: .personOrTicket,
                parameters: [
                    .init(
                        name: "Idempotency-Key", place: .header, schema: .sized(1...255), isRequired: true,
                        meaning: "Made and kept by the client before it asks; asked again with it is asked once."),
                    .init(
                        name: "Prefer", place: .header, schema: .text,
                        meaning: "wait=N waits up to N seconds for the end (RFC 7240)."),
                    Self.stepUpParameter,
                ],
                body: .init(schema: .named("ErasureRequest"), isRequired: false),
                answers: [
                    200: .init(meaning: "It has ended.", schema: .named("Erasure")),
                    202: .init(meaning: "It is accepted and will be brought to its end.", schema: .named("Erasure")),
                ], refusals: [404, 409, 422, 429])
        ) { call in
            let asking = try await asking(call)
            let answer = try await answered(call, asking)
            let seconds = min(call.preferredWait ?? 0, serving.wait)
            let erasure =
                !answer.erasure.mayEndSoon || seconds == 0
                ? answer.erasure
                : try await requests.wait(for: answer.erasure.id, atMost: seconds) ?? answer.erasure
            guard erasure.state != .cancelled else { throw Self.takenBack }
            let isGone = await removeAccount(after: erasure, call)
            let view = ErasureView(erasure, ticket: answer.ticket, keepsAccount: !isGone)
            var headers: HTTPFields = [.location: "\(Self.root)/\(view.id)"]
            if call.preferredWait != nil { headers[.preferenceApplied] = "wait=\(seconds)" }
            return .json(view, status: erasure.state == .done && isGone ? .ok : .accepted, headers: headers)
        }
    }

    static let takenBack = FarewellError(
        "erasure.cancelled", .yoursToFix, "This request was taken back.",
        remedy: "Ask anew, under another Idempotency-Key.")

    /// Removes the account that an ended erasure is about, where it is still there: it lies in another database than
    /// the rows, or the plan has missed it. Workers do so as well, and may be a moment behind. A ticket may be of
    /// somebody else's erasure: it removes nobody but whom that erasure is about.
    ///
    /// Once the outbox has seen the account gone, nothing is removed for this erasure any longer: an account that is
    /// there then was made anew under the same identifier. Only for calls that ask for an erasure, never for a look.
    ///
    /// - Returns: Whether it is gone.
    func removeAccount(after erasure: RequestedErasure, _ call: RouteCall) async -> Bool {
        guard erasure.state == .done, let accounts = serving.accounts else { return true }
        do {
            guard try await isOwed(erasure) else { return true }
            if let subject = await identity.recognised(call), try await requests.isAbout(erasure, subject) {
                return await accounts.remove([subject])
            }
            guard let subject = try await requests.subject(of: erasure) else { return !accounts.isApart }
            return await accounts.remove([subject])
        } catch let error as FarewellError where error.code == "seal.unreadable" && !accounts.isApart {
            return true
        } catch {
            call.log.error("It is not certain that an account is gone.", metadata: ["erasure": "\(erasure.id.text)"])
            return false
        }
    }

    /// Whether everything else of an ended erasure is gone and the account is not. An account that was made anew once
    /// the outbox had seen the former one gone does not count.
    func keepsAccount(_ erasure: RequestedErasure) async throws -> Bool {
        guard erasure.state == .done, serving.accounts != nil, try await isOwed(erasure) else { return false }
        return try await isThere(erasure)
    }

    /// Whether the account of an erasure is still there, while the outbox owes its removal. It counts as kept where
    /// nobody can say any longer whose it is: unless the rows lie in one database with it, and it went with them.
    private func isThere(_ erasure: RequestedErasure) async throws -> Bool {
        guard let accounts = serving.accounts else { return false }
        do {
            guard let subject = try await requests.subject(of: erasure) else { return accounts.isApart }
            return try await accounts.isThere(subject)
        } catch let error as FarewellError where error.code == "seal.unreadable" {
            return accounts.isApart
        }
    }

    /// Whether the outbox has not seen yet that the account of an ended erasure is gone.
    private func isOwed(_ erasure: RequestedErasure) async throws -> Bool {
        try await !requests.untold(AccountRemoval.name, among: [erasure]).isEmpty
    }

    /// The same of many, by their numbers.
    func keepingAccounts(among erasures: [RequestedErasure]) async throws -> Set<UUID> {
        guard serving.accounts != nil else { return [] }
        var keeping: Set<UUID> = []
        for erasure in try await requests.untold(AccountRemoval.name, among: erasures) {
            let isKept = try await isThere(erasure)
            if isKept { keeping.insert(erasure.id) }
        }
        return keeping
    }

    /// An erasure as whoever looks at it sees it.
    func view(of erasure: RequestedErasure) async throws -> ErasureView {
        ErasureView(erasure, keepsAccount: try await keepsAccount(erasure))
    }

    private func asking(_ call: RouteCall) async throws -> ErasureRequest {
        guard let key = call.headers[.idempotencyKey], (1...255).contains(key.utf8.count) else {
            throw FarewellError(
                "erasure.key-missing", .yoursToFix, "An Idempotency-Key of 1 to 255 characters is needed.",
                remedy: "Make one, keep it, and send it again with every retry.")
        }
        let ticket = try await call.membersIfAny().text("ticket").map { text in try ErasureTicket(text) }
        return ErasureRequest(idempotencyKey: key, ticket: ticket)
    }

    /// The answer to an asking. Who asks again is not asked for another proof, and who asks when the account is gone is
    /// told what became of it.
    ///
    /// - Parameter objecting: Throws what stands against an erasure of somebody who has proved who they are.
    func answered(
        _ call: RouteCall, _ asking: ErasureRequest,
        objecting: (ErasurePerson) async throws -> Void = { _ in }
    ) async throws -> ErasureAnswer {
        let person: ErasurePerson
        do {
            person = try await identity.person(call)
        } catch let refusal as StatedError {
            if let ticket = asking.ticket, let erasure = try await requests.erasure(ticket) {
                return ErasureAnswer(erasure: erasure, ticket: ticket, isKnown: true)
            }
            if let subject = await identity.recognised(call), let gone = try await requests.recall(subject, asking),
                gone.erasure.state.isBegun
            {
                return gone
            }
            throw refusal
        }
        if asking.idempotencyKey != nil, let known = try await requests.repeated(person.subject, asking) {
            return known
        }
        do {
            try await requireProof(of: person, call, for: .requestErasure)
        } catch let stale as FarewellError where stale.code == "erasure.sign-in-stale" {
            // People of other issuers keep their tokens when they are gone; there is nobody left to sign in again. An
            // account of ours that is there may be another than the one that was erased.
            guard person.caller == nil, let gone = try await requests.recallGone(person.subject, asking) else {
                throw stale
            }
            return gone
        }
        try await objecting(person)
        return try await request(of: person, asking)
    }

    /// Asks for a person who has proved who they are, and writes to them where they can still take it back: it may not
    /// have been they who asked.
    func request(of person: ErasurePerson, _ asking: ErasureRequest) async throws -> ErasureAnswer {
        let answer = try await taken(person, asking)
        if !answer.isKnown, answer.erasure.state == .grace, person.caller != nil {
            try await server.authority.warn(ofErasureOf: person.subject)
        }
        return answer
    }

    /// Somebody of whom the plan's database has nothing still has an account where that lies in another: it is erased
    /// as every account is, and so is gone in the end.
    private func taken(_ person: ErasurePerson, _ asking: ErasureRequest) async throws -> ErasureAnswer {
        do {
            return try await requests.request(person.subject, asking)
        } catch let error as FarewellError where error.code == ErasureRequests.unknown.code {
            guard serving.accounts?.isApart == true, person.caller != nil else { throw error }
            return try await requests.request(ofAccount: person.subject, asking)
        }
    }

    /// A sign-in that is recent, or a proof for this one act.
    func requireProof(of person: ErasurePerson, _ call: RouteCall, for action: StepUpAction) async throws {
        let limit = requests.rules.recentSignIn
        guard limit > 0 else { return }
        if let proof = call.headers[.stepUp], !proof.isEmpty {
            return try await requests.spend(StepUp(proof), of: person.subject, for: action)
        }
        guard isProved(person) else {
            throw FarewellError(
                "erasure.sign-in-stale", .yoursToFix, "Sign in again to confirm that it is you.",
                remedy: "Sign in anew, or get a proof from /v1/step-ups and send it as X-Farewell-Step-Up.")
        }
    }

    /// Whether they have proved recently enough who they are. Somebody without a name has nothing but their session,
    /// and could never prove it anew.
    func isProved(_ person: ErasurePerson) -> Bool {
        let limit = requests.rules.recentSignIn
        guard limit > 0, person.caller?.user.isAnonymous != true else { return true }
        let now = server.world.now()
        guard let provedAt = person.provedAt else { return false }
        return now.timeIntervalSince(provedAt) <= Double(limit) && provedAt.timeIntervalSince(now) <= 60
    }

    // MARK: Looking

    private var find: Route {
        Route(
            .get, Self.root,
            RouteOperation(
                id: "findErasure", summary: "How the erasure of this ticket stands", tag: "erasures",
                parameters: [Self.ticketParameter],
                answers: [200: .init(meaning: "As it stands.", schema: .named("Erasure"))], refusals: [404])
        ) { call in
            guard let text = call.headers[.ticket], let ticket = try? ErasureTicket(text),
                let erasure = try await requests.erasure(ticket)
            else { throw ErasureRequests.notFound }
            return .json(try await view(of: erasure))
        }
    }

    private var status: Route {
        Route(
            .get, Self.root + "/{id}",
            RouteOperation(
                id: "getErasure", summary: "How an erasure stands", tag: "erasures",
                parameters: [Self.idParameter, Self.ticketParameter],
                answers: [200: .init(meaning: "As it stands.", schema: .named("Erasure"))])
        ) { call in .json(try await view(of: try await erasure(call))) }
    }

    /// The erasure of the path, for who holds its ticket, for its person, and for operators. For everybody else there
    /// is none.
    func erasure(_ call: RouteCall) async throws -> RequestedErasure {
        guard let id = call.identifier("id") else { throw ErasureRequests.notFound }
        if let text = call.headers[.ticket] {
            guard let ticket = try? ErasureTicket(text), let erasure = try await requests.erasure(ticket),
                erasure.id == id
            else { throw ErasureRequests.notFound }
            return erasure
        }
        guard call.headers[.authorization] != nil, let erasure = try await requests.erasure(id) else {
            throw ErasureRequests.notFound
        }
        if let person = try? await identity.person(call), try await requests.isAbout(erasure, person.subject) {
            return erasure
        }
        guard let token = try? call.bearerToken(), (try? await server.authority.administrator(token)) != nil else {
            throw ErasureRequests.notFound
        }
        return erasure
    }

    private var preview: Route {
        Route(
            .get, Self.root + "/preview",
            RouteOperation(
                id: "previewErasure", summary: "What would go of mine, and what would stay and why", tag: "erasures",
                authority: .person,
                answers: [200: .init(meaning: "Counted, and nothing written.", schema: .named("ErasurePreview"))],
                refusals: [404])
        ) { call in
            let person = try await identity.person(call)
            do {
                return .json(PreviewView(try await preview(of: person)))
            } catch let error as FarewellError where ["subject.unknown", "subject.malformed"].contains(error.code) {
                throw FarewellError("erasure.unknown", .yoursToFix, "Nothing of this account is there.")
            }
        }
    }

    /// Nothing of somebody whose account, in another database than the rows, is all there is.
    func preview(of person: ErasurePerson) async throws -> Preview {
        do {
            return try await serving.engine.preview(person.subject)
        } catch let error as FarewellError where error.code == "subject.unknown" {
            guard serving.accounts != nil, person.caller != nil else { throw error }
            return .nothing
        }
    }

    // MARK: Taking back

    private var cancel: Route {
        Route(
            .delete, Self.root + "/{id}",
            RouteOperation(
                id: "cancelErasure", summary: "Take my request back, while it is in grace", tag: "erasures",
                authority: .person, parameters: [Self.idParameter, Self.stepUpParameter],
                answers: [200: .init(meaning: "It is taken back.", schema: .named("Erasure"))], refusals: [409])
        ) { call in
            let person = try await identity.person(call)
            guard let id = call.identifier("id"), let erasure = try await requests.erasure(id),
                try await requests.isAbout(erasure, person.subject)
            else { throw ErasureRequests.notFound }
            if erasure.state != .cancelled { try await requireProof(of: person, call, for: .cancelErasure) }
            return .json(ErasureView(try await requests.cancel(id, by: person.subject)))
        }
    }
}

extension RequestedErasure {
    /// Whether it may end while a call waits: what is in grace or held does not.
    var mayEndSoon: Bool { !state.isAtRest && state != .grace && holdReason == nil }
}

struct PreviewView: Encodable {
    let places: [Place]
    let erased: Int
    let kept: Int
    /// Keys of the database that would stop the erasure today: an operator has to look at them.
    let blockers: Int

    struct Place: Encodable {
        let place: String
        let rule: String
        let count: Int
        let reason: String?
        let until: String?
        /// Whether that day is past: the rows still stay when the person leaves, and the retention is ended next.
        let is_over: Bool
        let is_others: Bool
    }

    init(_ preview: Preview) {
        places = preview.places.map { place in
            Place(
                place: place.place, rule: place.rule.word, count: place.count, reason: place.rule.retention?.reason,
                until: place.until.map { "\($0)" }, is_over: place.isOver, is_others: place.isOthers)
        }
        erased = preview.erased
        kept = preview.kept
        blockers = preview.blockers.count
    }
}

extension RouteCall {
    /// The seconds of `Prefer: wait=N` (RFC 7240, 4.3).
    var preferredWait: Int? {
        headers[values: .prefer].flatMap { $0.split(separator: ",") }.compactMap { part -> Int? in
            let words = part.prefix { $0 != ";" }.split(separator: "=").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard words.count == 2, words[0].lowercased() == "wait", let seconds = Int(words[1]), seconds >= 0 else {
                return nil
            }
            return min(seconds, 3_600)
        }.first
    }
}
