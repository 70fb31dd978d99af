// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// The operators' routes for administering users.
extension AuthRoutes {
    var administration: [Route] { [users, newUser, oneUser, oneUserChange, oneUserDeletion, userFactors] }

    private static let id = RouteOperation.Parameter(
        name: "id", place: .path, schema: .formatted("uuid"), meaning: "The identifier of the user.")

    /// The refusals of a path that names no user.
    private static let unnamed: Set = ["user_not_found", "validation_failed"]

    private func administrator(_ call: RouteCall) async throws {
        _ = try await authority.administrator(try call.bearerToken())
    }

    /// The user that a path names; text that is no UUID names no user (contract, 1.11).
    private func named(_ call: RouteCall) throws -> UUID {
        guard let id = call.identifier("id") else {
            throw ErrorWithStatus(.notFound, call.refuse("user_id must be an UUID"))
        }
        return id
    }

    /// The existing user that a path names, for an operator.
    func administered(_ call: RouteCall) async throws -> User {
        try await administrator(call)
        return try await authority.user(try named(call))
    }

    private var users: Route {
        Route(
            .get, Self.root + "/admin/users",
            RouteOperation(
                id: "listUsers", summary: "List users, page by page", tag: "admin", authority: .administrator,
                parameters: [
                    .init(
                        name: "page", place: .query, schema: Self.orEmpty(1...1_000_000),
                        meaning: "The number of the page, from 1."),
                    .init(
                        name: "per_page", place: .query, schema: Self.orEmpty(1...1_000),
                        meaning: "The users on a page; 50 by default."),
                    .init(
                        name: "filter", place: .query, schema: .text,
                        meaning: "A part of the e-mail address, or of full_name in user_metadata."),
                    .init(
                        name: "sort", place: .query, schema: .oneOfTexts(Self.orders.keys.sorted() + [""]),
                        meaning: "The order; the newest users come first by default."),
                ],
                answers: [200: .init(meaning: "One page of users.", schema: .named("UserList"))],
                refusals: [400: ["validation_failed"]])
        ) { call in
            try await administrator(call)
            let page = try await authority.users(
                page: try number("page", in: 1...1_000_000, call) ?? 1,
                perPage: try number("per_page", in: 1...1_000, call) ?? 50, filter: try filter(call),
                order: try order(call))
            try call.deadline?.check()
            return .json(
                UserList(users: page.users, aud: authority.settings.audience),
                headers: [.totalCount: String(page.total), .links: links(page, call)])
        }
    }

    /// A number, or nothing after the name, as clients write what they leave to us.
    private static func orEmpty(_ range: ClosedRange<Int>) -> Schema {
        .anyOf([.integer(range), .oneOfTexts([""])])
    }

    private struct UserList: Encodable {
        let users: [User]
        let aud: String
    }

    private func number(_ name: String, in range: ClosedRange<Int>, _ call: RouteCall) throws -> Int? {
        guard let text = call.query[name], !text.isEmpty else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw call.refuse("\(name) is a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The accepted values of `sort`: the one column of the contract.
    private static let orders: [String: UserOrder] = [
        "created_at": .newestFirst, "created_at asc": .oldestFirst, "created_at desc": .newestFirst,
    ]

    private func order(_ call: RouteCall) throws -> UserOrder {
        guard let text = call.query["sort"], !text.isEmpty else { return .newestFirst }
        guard let order = Self.orders[text] else {
            throw call.refuse("Bad Sort Parameters: people are sorted by created_at, asc or desc")
        }
        return order
    }

    private func filter(_ call: RouteCall) throws -> String? {
        guard let text = call.query["filter"], !text.isEmpty else { return nil }
        guard !text.utf8.contains(0) else { throw call.refuse("filter holds the character U+0000") }
        return text
    }

    private func links(_ page: UserPage, _ call: RouteCall) -> String {
        let kept = call.query.filter { ["filter", "sort"].contains($0.key) && !$0.value.isEmpty }
        let rest = kept.isEmpty ? "" : "&" + FormFields.written(kept)
        let link = { (number: Int, name: String) in
            "<\(Self.root)/admin/users?page=\(number)&per_page=\(page.perPage)\(rest)>; rel=\"\(name)\""
        }
        let next = page.page < page.lastPage ? [link(page.page + 1, "next")] : []
        return (next + [link(page.lastPage, "last")]).joined(separator: ", ")
    }

    private var newUser: Route {
        Route(
            .post, Self.root + "/admin/users",
            RouteOperation(
                id: "createUser", summary: "Create a user", tag: "admin", authority: .administrator,
                body: .init(schema: .named("AdministratorChange")),
                answers: [200: .init(meaning: "The user.", schema: .named("User"))],
                refusals: [
                    400: ["bad_json", "validation_failed"],
                    422: ["email_exists", "phone_exists", "user_already_exists", "weak_password"],
                    429: ["over_request_rate_limit"],
                ],
                links: ["getUser", "updateUserById", "deleteUser"].map {
                    .init(operation: $0 == "getUser" ? "getUserById" : $0, parameter: "id", pointer: "/id")
                })
        ) { call in
            try await administrator(call)
            let change = try await change(call)
            return .json(try await explainingWeakness(of: change.password) { try await authority.createUser(change) })
        }
    }

    private var oneUser: Route {
        Route(
            .get, Self.root + "/admin/users/{id}",
            RouteOperation(
                id: "getUserById", summary: "Get a user", tag: "admin", authority: .administrator,
                parameters: [Self.id], answers: [200: .init(meaning: "The user.", schema: .named("User"))],
                refusals: [404: Self.unnamed]),
            place: .named
        ) { call in .json(try await administered(call)) }
    }

    /// No user has a second factor, and none can get one.
    private var userFactors: Route {
        Route(
            .get, Self.root + "/admin/users/{id}/factors",
            RouteOperation(
                id: "listUserFactors", summary: "List a user's second factors; the list is empty", tag: "admin",
                authority: .administrator, parameters: [Self.id],
                answers: [200: .init(meaning: "An empty list.", schema: .list(.anyObject))],
                refusals: [404: Self.unnamed]),
            place: .named
        ) { call in
            _ = try await administered(call)
            return .json([String]())
        }
    }

    private var oneUserChange: Route {
        Route(
            .put, Self.root + "/admin/users/{id}",
            RouteOperation(
                id: "updateUserById", summary: "Change, ban or unban a user", tag: "admin",
                authority: .administrator, parameters: [Self.id], body: .init(schema: .named("AdministratorChange")),
                answers: [200: .init(meaning: "The changed user.", schema: .named("User"))],
                refusals: [
                    400: ["bad_json", "validation_failed"], 404: Self.unnamed,
                    422: ["email_exists", "phone_exists", "weak_password"], 429: ["over_request_rate_limit"],
                ]),
            place: .named
        ) { call in
            try await administrator(call)
            let id = try named(call)
            let change = try await change(call)
            return .json(
                try await explainingWeakness(of: change.password) { try await authority.updateUser(id, change) })
        }
    }

    private var oneUserDeletion: Route {
        Route(
            .delete, Self.root + "/admin/users/{id}",
            RouteOperation(
                id: "deleteUser", summary: "Delete a user and end their sessions", tag: "admin",
                authority: .administrator, parameters: [Self.id],
                body: .init(schema: .named("UserDeletion"), isRequired: false),
                answers: [200: .init(meaning: "The user is deleted.", schema: .anyObject)],
                refusals: [
                    400: ["bad_json"], 404: Self.unnamed, 409: ["erasure.held"], 503: [Self.planUnfit.rawValue],
                ]),
            place: .named
        ) { call in
            try await administrator(call)
            let id = try named(call)
            try await requireNoHold(on: id)
            let isSoft = try await call.membersIfAny().flag("should_soft_delete") ?? false
            do {
                try await authority.deleteUser(id, isSoft ? .soft : .hard)
            } catch let error as FarewellError where Self.isRefusal(error) {
                // The log names the key, the trigger or the right.
                call.log.error("\(error.message)", metadata: ["code": "\(error.code.rawValue)"])
                throw FarewellError(
                    ErrorAnswer.heldByRows, .ours, "Database error deleting user",
                    remedy: "The database refuses the deletion until a key, a trigger or a right is changed.")
            }
            return .json([String: String]())
        }
    }

    /// Whether the database will refuse a deletion until its schema, its rows or a right are changed.
    private static func isRefusal(_ error: FarewellError) -> Bool {
        error.family != .tryAgain && error.code.rawValue.hasPrefix("sql.")
    }

    private static let planUnfit: FarewellError.Code = "erasure.plan-unfit"

    /// The deletion of an account also deletes its cascading rows, which an operator's hold protects.
    ///
    /// - Throws: `erasure.held`; `erasure.plan-unfit` where the plan fits the database so little that no hold is found.
    private func requireNoHold(on user: UUID) async throws {
        guard let requests = server.erasures?.requests else { return }
        do {
            guard try await requests.isHeld(user.text) else { return }
        } catch let error as FarewellError where error.code == Self.planUnfit {
            throw FarewellError(
                error.code, error.family,
                "The account cannot be deleted now: the plan does not fit the database, so a hold would not be found.",
                remedy: error.remedy)
        }
        throw FarewellError(
            "erasure.held", .yoursToFix, "An operator holds this user's data, so the account stays.",
            remedy: "End the hold first: DELETE /v1/erasures/{id}/hold.")
    }

    private func change(_ call: RouteCall) async throws -> AdministratorChange {
        let body = try await call.members()
        var change = AdministratorChange()
        if let id = try body.text("id") {
            guard let id = UUID(text: id) else { throw call.refuse("id must be an UUID") }
            change.id = id
        }
        change.email = try body.text("email")
        change.phone = try body.text("phone")
        change.password = try body.text("password")
        change.passwordHash = try body.text("password_hash")
        change.confirmsEmail = try body.flag("email_confirm")
        change.confirmsPhone = try body.flag("phone_confirm")
        change.userMetadata = try body.object("user_metadata")
        change.appMetadata = try body.object("app_metadata")
        change.role = try body.text("role")
        change.banDuration = try body.text("ban_duration")
        return change
    }
}
