// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellVerifier
import HTTPTypes

/// The statuses and codes of refusals, in one place: the common path refuses all calls alike, and a route lists its own
/// in `RouteOperation.refusals`. No refusal has another status or code.
enum RouteRefusals {
    static let meanings: [(status: Int, meaning: String)] = [
        (400, "The request cannot be read, or its content is not valid."),
        (401, "The token is missing or not valid."),
        (403, "The token is not valid, or does not allow this call."),
        (404, "Nothing with this path or identifier exists."),
        (409, "Another call has just changed it, or it can no longer be changed."),
        (413, "The body is too long."),
        (421, "The request names a host that is not accepted."),
        (422, "The server understands the request and does not allow it."),
        (429, "Too many calls; Retry-After says when to try again."),
        (431, "The header fields are too long."),
        (500, "A fault of the server."),
        (503, "The server cannot answer now; try again."),
        (504, "The call took too long; try again."),
    ]

    /// The codes of the common path, by status. They concern the request and the server, not the act of the route.
    static let general: [Int: Set<String>] = [
        400: ["bad_request"], 404: ["not_found"], 413: ["request_entity_too_large"], 421: ["misdirected_request"],
        431: ["request_header_fields_too_large"], 500: ["unexpected_failure"], 503: ["unexpected_failure"],
        504: ["request_timeout"],
    ]

    /// Every code with which a route refuses, by status.
    static func codes(of route: Route) -> [Int: Set<String>] {
        let operation = route.operation
        // Input that is no HTTP, and oversized fields, are refused before a route is looked up.
        var statuses: Set = [400, 431, 500]
        if route.hosts == .accepted { statuses.insert(421) }
        if operation.reads == .database { statuses.insert(503) }
        // The body is bounded, and so is the time, even if no body is expected.
        if route.duration == .bounded { statuses.formUnion([413, 504]) }
        if operation.parameters.contains(where: { $0.place == .path }) { statuses.insert(404) }
        var codes = general.filter { statuses.contains($0.key) }
        func add(_ more: [Int: Set<String>]) { codes.merge(more) { $0.union($1) } }
        if route.limit == .address { add([429: ["over_request_rate_limit"]]) }
        if operation.parameters.contains(where: { $0.name == RouteOperation.Parameter.stepUp.name }) {
            add([403: ["erasure.sign-in-stale", "erasure.step-up-invalid"]])
        }
        add(ofCallers(route))
        add(operation.refusals)
        return codes
    }

    /// The refusals of callers who do not prove who they are.
    private static func ofCallers(_ route: Route) -> [Int: Set<String>] {
        switch route.operation.authority {
        case .none: [:]
        case .person: sessions(at: route.place, and: ["validation_failed"])
        case .administrator, .follower: sessions(at: route.place, and: ["not_admin"])
        case .subject, .personOrTicket: subjects
        }
    }

    private static let ofSessions = [
        "no_authorization", "bad_jwt", "bad_jwt.subject", "session_expired", "session_not_found", "user_banned",
        "user_not_found",
    ]

    private static func sessions(at place: ErrorStatus.Place, and others: [String]) -> [Int: Set<String>] {
        (ofSessions + others).reduce(into: [:]) { codes, name in
            let error = FarewellError(.init(rawValue: "auth." + name), .yoursToFix, name)
            codes[ErrorStatus.status(of: error, at: place).code, default: []].insert(ErrorStatus.code(of: error))
        }
    }

    /// The refusals of tokens of this server and of other issuers.
    private static let subjects = tokens.merging(
        [401: Set(ofSessions).subtracting(["bad_jwt.subject"]).union(["token.project-key"])]
    ) { $0.union($1) }

    /// The refusals of other issuers' tokens; the status says whether another try can help.
    static let tokens = TokenRefusal.allCases.reduce(into: [Int: Set<String>]()) { codes, refusal in
        codes[refusal.family == .tryAgain ? 503 : 401, default: []].insert(refusal.error.code.rawValue)
    }
}

extension Route {
    /// Every status that it answers with.
    var statuses: Set<Int> { Set(RouteRefusals.codes(of: self).keys).union(operation.answers.keys) }
}
