// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// Erasures over HTTP: requested by the subject, looked at by ticket, cancelled in grace. `AccountDeletion` decides.
struct ErasureRoutes: Sendable {
    let server: FarewellServer
    let deletion: AccountDeletion

    var requests: ErasureRequests { deletion.requests }

    var all: [Route] {
        [
            request, find, status, cancel, receipt, receiptPage, preview, stepUp,
            ErasureEventsRoute(followers: server.erasureFollowers, deletion: deletion).route,
        ] + operators + ContractRoutes(deletion: deletion, metrics: server.metrics).all
            + SystemRoutes(requests: requests).all
            + (deletion.serving.appleEvents.map { [$0.route] } ?? [])
    }

    static let root = "/v1/erasures"

    // MARK: Request

    private var request: Route {
        Route(
            .post, Self.root,
            RouteOperation(
                id: "requestErasure", summary: "Request the erasure of the user's account", tag: "erasures",
                authority: .personOrTicket,
                parameters: [
                    .init(
                        name: "Idempotency-Key", place: .header, schema: .sized(1...255), isRequired: true,
                        meaning:
                            "A key that the client stores before the request. Repeated requests count once."),
                    .init(
                        name: "Prefer", place: .header, schema: .text,
                        meaning: "wait=N waits up to N seconds for the erasure to finish (RFC 7240)."),
                    .stepUp,
                ],
                body: .init(schema: .named("ErasureRequest"), isRequired: false),
                answers: [
                    200: .init(meaning: "The erasure has ended.", schema: .named("Erasure")),
                    202: .init(meaning: "The erasure is accepted.", schema: .named("Erasure")),
                ],
                refusals: RouteOperation.requestRefusals(and: [
                    400: ["bad_json", "erasure.key-missing", "erasure.malformed"]
                ]))
        ) { call in
            let preferred = call.preferredWait
            let seconds = min(preferred ?? 0, deletion.serving.wait)
            var request = try await requested(in: call)
            request.isAwaited = seconds > 0
            let answer = try await deletion.request(request, by: call.credentials)
            let known = try await deletion.outcome(
                of: answer.erasure, handed: answer.handed, waiting: call.longestWait(atMost: seconds),
                shown: call.credentials, call.log)
            let outcome = known ?? DeletionOutcome(erasure: answer.erasure)
            let view = ErasureView(
                outcome.erasure ?? answer.erasure, ticket: answer.ticket, keepsAccount: outcome.keepsAccount)
            var headers: HTTPFields = [.location: "\(Self.root)/\(view.id)"]
            if preferred != nil { headers[.preferenceApplied] = "wait=\(seconds)" }
            return .json(view, status: known?.isOver == true ? .ok : .accepted, headers: headers)
        }
    }

    private func requested(in call: RouteCall) async throws -> ErasureRequest {
        guard let key = call.headers[.idempotencyKey], (1...255).contains(key.utf8.count) else {
            throw FarewellError(
                "erasure.key-missing", .yoursToFix, "The request needs an Idempotency-Key of 1 to 255 characters.",
                remedy: "Create one, keep it, and send it again with every retry.")
        }
        let ticket = try await call.membersIfAny().text("ticket").map { text in try ErasureTicket(text) }
        return ErasureRequest(idempotencyKey: key, ticket: ticket)
    }

    // MARK: Looking

    private var find: Route {
        Route(
            .get, Self.root,
            RouteOperation(
                id: "findErasure", summary: "Get the erasure of a ticket", tag: "erasures",
                parameters: [.erasureTicket],
                answers: [200: .init(meaning: "The present state.", schema: .named("Erasure"))],
                refusals: [404: ["erasure.not-found"]])
        ) { call in
            guard let erasure = try await deletion.erasure(ticket: call.headers[.ticket]) else {
                throw ErasureRequests.notFound
            }
            return .json(try await deletion.view(of: erasure))
        }
    }

    private var status: Route {
        Route(
            .get, Self.root + "/{id}",
            RouteOperation(
                id: "getErasure", summary: "Get an erasure", tag: "erasures",
                parameters: [.erasureID, .erasureTicket],
                answers: [200: .init(meaning: "The present state.", schema: .named("Erasure"))],
                refusals: [404: ["erasure.not-found"]])
        ) { call in .json(try await deletion.view(of: try await deletion.erasure(of: call))) }
    }

    private var preview: Route {
        Route(
            .get, Self.root + "/preview",
            RouteOperation(
                id: "previewErasure", summary: "Count what an erasure would delete and keep", tag: "erasures",
                authority: .subject,
                answers: [200: .init(meaning: "The counts. Nothing was changed.", schema: .named("ErasurePreview"))],
                refusals: [404: ["erasure.unknown"], 429: ["over_request_rate_limit"]])
        ) { call in
            let person = try await deletion.identity.person(call.credentials)
            do {
                return .json(PreviewView(try await deletion.preview(of: person)))
            } catch let error as FarewellError where ["subject.unknown", "subject.malformed"].contains(error.code) {
                throw FarewellError("erasure.unknown", .yoursToFix, "No data of this account exists.")
            }
        }
    }

    // MARK: Cancel

    private var cancel: Route {
        Route(
            .delete, Self.root + "/{id}",
            RouteOperation(
                id: "cancelErasure", summary: "Cancel an erasure in its grace period", tag: "erasures",
                authority: .subject, parameters: [.erasureID, .stepUp],
                answers: [200: .init(meaning: "The erasure is cancelled.", schema: .named("Erasure"))],
                refusals: [404: ["erasure.not-found"], 409: ["erasure.too-late"], 503: ["erasure.plan-unfit"]])
        ) { call in
            .json(ErasureView(try await deletion.cancel(call.identifier("id"), by: call.credentials)))
        }
    }
}

extension AccountDeletion {
    /// The erasure that a call names by its path, for a caller who may see it.
    func erasure(of call: RouteCall) async throws -> RequestedErasure {
        try await erasure(call.identifier("id"), ticket: call.headers[.ticket], shown: call.credentials)
    }
}

extension RouteCall {
    /// The seconds of `Prefer: wait=N` (RFC 7240, 4.3).
    var preferredWait: Int? {
        headers[values: .prefer].flatMap { $0.split(separator: ",") }.compactMap { part -> Int? in
            let words = part.prefix { $0 != ";" }.split(separator: "=").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard words.count == 2, words[0].isWord("wait"), let seconds = Int(words[1]), seconds >= 0 else {
                return nil
            }
            return min(seconds, 3_600)
        }.first
    }
}
