// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird

/// The routes by which users change their own account and session.
extension AuthRoutes {
    var person: [Route] { [user, userChange, reauthentication, signOut] }

    private var user: Route {
        Route(
            .get, Self.root + "/user",
            RouteOperation(
                id: "getUser", summary: "Get the signed-in user", tag: "auth", authority: .person,
                answers: [200: .init(meaning: "The user.", schema: .named("User"))])
        ) { call in .json(try await caller(call).user) }
    }

    private var userChange: Route {
        Route(
            .put, Self.root + "/user",
            RouteOperation(
                id: "updateUser", summary: "Change the user's address, password or data", tag: "auth",
                authority: .person, parameters: [Self.redirectParameter],
                body: .init(schema: .named("UserChange")),
                answers: [200: .init(meaning: "The changed user.", schema: .named("User"))],
                refusals: [
                    400: [
                        "bad_json", "current_password_invalid", "current_password_required", "email_address_invalid",
                        "phone_provider_disabled", "reauthentication_needed",
                    ],
                    409: ["conflict"],
                    422: ["email_exists", "reauthentication_not_valid", "same_password", "weak_password"],
                    429: ["over_email_send_rate_limit"],
                ]),
            limit: .address
        ) { call in
            let caller = try await caller(call)
            let body = try await call.members()
            let change = UserChange(
                email: try body.text("email"), phone: try body.text("phone"), password: try body.text("password"),
                currentPassword: try body.text("current_password"), nonce: try body.text("nonce"),
                metadata: try body.object("data"), mailReturn: try mailReturn(body, call))
            let user = try await explainingWeakness(of: change.password) {
                try await authority.update(caller, change, source: call.source)
            }
            if change.password != nil { call.report("password changed", of: caller.session?.id) }
            return .json(user)
        }
    }

    private var reauthentication: Route {
        Route(
            .get, Self.root + "/reauthenticate",
            RouteOperation(
                id: "reauthenticate", summary: "Send a code that allows a change of password", tag: "auth",
                authority: .person, answers: [200: .init(meaning: "The code is on its way.", schema: .anyObject)],
                refusals: [422: ["email_provider_disabled"], 429: ["over_email_send_rate_limit"]]),
            limit: .address
        ) { call in
            try await authority.reauthenticate(try await caller(call))
            return .json([String: String]())
        }.withoutHead
    }

    private var signOut: Route {
        Route(
            .post, Self.root + "/logout",
            RouteOperation(
                id: "signOut", summary: "Sign out of this session, the other sessions, or all", tag: "auth",
                authority: .person,
                parameters: [
                    .init(
                        name: "scope", place: .query, schema: .oneOfTexts(SignOutScope.allCases.map(\.rawValue) + [""]),
                        meaning: "The sessions that end; all of them by default.")
                ],
                answers: [204: .init(meaning: "The sessions have ended.")])
        ) { call in
            let caller = try await caller(call)
            let asked = call.query["scope"] ?? ""
            guard let scope = asked.isEmpty ? .global : SignOutScope(rawValue: asked) else {
                throw call.refuse("Unsupported logout scope \"\(asked.prefix(32))\"")
            }
            try await authority.signOut(caller, scope: scope)
            call.report("signed out", of: caller.session?.id, ["scope": scope.rawValue])
            return Response(status: .noContent)
        }
    }
}
