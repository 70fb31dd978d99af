// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird

/// Proof that it is them, and what operators may do.
extension ErasureRoutes {
    var stepUp: Route {
        Route(
            .post, "/v1/step-ups",
            RouteOperation(
                id: "stepUp", summary: "Prove the user's identity again, for one act", tag: "erasures",
                authority: .subject,
                body: .init(schema: .named("StepUpRequest")),
                answers: [200: .init(meaning: "A proof, valid once and for five minutes.", schema: .named("StepUp"))],
                refusals: [
                    400: RouteOperation.identityTokens.union(["bad_json", "erasure.malformed", "invalid_credentials"]),
                    403: ["erasure.sign-in-stale"],
                ]),
            limit: .address
        ) { call in
            let person = try await deletion.identity.person(call.credentials)
            let body = try await call.members()
            guard let action = try body.text("action").flatMap(StepUpAction.init(rawValue:)) else {
                throw FarewellError(
                    "erasure.malformed", .yoursToFix,
                    "action is one of \(StepUpAction.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            let caller = try deletion.proof.caller(of: person)
            let proof = try await deletion.proof.stepUp(of: caller, for: action, by: try Self.confirmation(body))
            return .json(Proof(step_up: proof.text, action: action.rawValue, expires_in: StepUp.life))
        }
    }

    private static func confirmation(_ body: JSONMembers) throws -> SubjectProof.Confirmation {
        if let password = try body.text("password"), !password.isEmpty { return .password(password) }
        guard let token = try body.text("id_token"), let provider = try body.text("provider") else {
            throw FarewellError(
                "erasure.malformed", .yoursToFix, "Send password, or id_token and provider.")
        }
        return .identityToken(IdentityTokenRequest(provider: provider, token: token, nonce: try body.text("nonce")))
    }

    private struct Proof: Encodable {
        let step_up: String
        let action: String
        let expires_in: Int
    }

    // MARK: Operators

    var operators: [Route] { [hold, endHold, deadLetters, redeliver] }

    private var hold: Route {
        Route(
            .put, Self.root + "/{id}/hold",
            RouteOperation(
                id: "holdErasure", summary: "Put an erasure on legal hold", tag: "erasures",
                authority: .administrator, parameters: [.erasureID],
                body: .init(schema: .named("HoldRequest")),
                answers: [200: .init(meaning: "The erasure stops before its next step.", schema: .named("Erasure"))],
                refusals: [
                    400: ["bad_json", "erasure.malformed"], 404: ["erasure.not-found"], 409: ["erasure.too-late"],
                ])
        ) { call in
            let (id, actor) = try await administered(call)
            let reason = try HoldReason(try await call.members().text("reason") ?? "")
            return .json(ErasureView(try await requests.hold(id, reason: reason.text, by: actor)))
        }
    }

    private var endHold: Route {
        Route(
            .delete, Self.root + "/{id}/hold",
            RouteOperation(
                id: "endHold", summary: "End the legal hold of an erasure", tag: "erasures", authority: .administrator,
                parameters: [.erasureID],
                answers: [200: .init(meaning: "The erasure continues.", schema: .named("Erasure"))],
                refusals: [404: ["erasure.not-found"]])
        ) { call in
            let (id, actor) = try await administered(call)
            return .json(try await deletion.view(of: try await requests.endHold(of: id, by: actor)))
        }
    }

    private var deadLetters: Route {
        Route(
            .get, "/v1/dead-letters",
            RouteOperation(
                id: "listDeadLetters", summary: "List events that could not be delivered", tag: "erasures",
                authority: .administrator,
                answers: [200: .init(meaning: "The newest hundred events.", schema: .named("DeadLetterList"))])
        ) { call in
            _ = try await administrator(call)
            return .json(DeadLetterList(dead_letters: try await requests.deadLetters().map(DeadLetterList.Entry.init)))
        }
    }

    private var redeliver: Route {
        Route(
            .post, "/v1/dead-letters/{endpoint}",
            RouteOperation(
                id: "redeliver", summary: "Deliver the dead letters of an endpoint again", tag: "erasures",
                authority: .administrator,
                parameters: [
                    .init(name: "endpoint", place: .path, schema: .text, meaning: "The name of the endpoint.")
                ],
                answers: [200: .init(meaning: "The events are queued again.", schema: .named("Redelivery"))])
        ) { call in
            let actor = try await administrator(call)
            let count = try await requests.redeliver(to: call.parameters["endpoint"] ?? "", by: actor)
            return .json(["waiting": count])
        }
    }

    /// The name of the acting operator for the audit log.
    private func administrator(_ call: RouteCall) async throws -> String {
        let claims = try await server.authority.administrator(try call.bearerToken())
        return "operator:" + server.operatorNames.name(of: claims)
    }

    private func administered(_ call: RouteCall) async throws -> (id: UUID, actor: String) {
        let actor = try await administrator(call)
        guard let id = call.identifier("id") else { throw ErasureRequests.notFound }
        return (id, actor)
    }

    private struct DeadLetterList: Encodable {
        let dead_letters: [Entry]

        struct Entry: Encodable {
            let endpoint: String
            let erasure: String
            let event: String
            let attempts: Int
            let reason: String

            init(_ letter: DeadLetter) {
                endpoint = letter.endpoint
                erasure = letter.erasure.text
                event = letter.kind.rawValue
                attempts = letter.attempts
                reason = letter.reason
            }
        }
    }
}
