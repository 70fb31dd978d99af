// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird

/// One function of the server: its path, its OpenAPI description, and its handler.
///
/// Routes and `/openapi.json` are made from the same values, so that neither can know something the other does not.
struct Route: Sendable {
    let method: HTTPRequest.Method
    /// As in OpenAPI: `/auth/v1/admin/users/{id}`.
    let path: String
    let limit: Limit
    let duration: Duration
    let place: ErrorStatus.Place
    let operation: RouteOperation
    /// Whether a GET route answers HEAD too: not where answering does something (RFC 9110, 9.2.1).
    private(set) var answersHead = true
    /// By which names of the host it may be called.
    var hosts = Hosts.accepted
    /// The longest body if it is shorter than the kind of route allows, in bytes.
    var longestBody: Int?
    /// The refusal as a page for users; nil answers programs.
    var page: (@Sendable (ErrorAnswer, HTTPFields) -> Response)?
    let respond: @Sendable (RouteCall) async throws -> Response

    /// Which allowance a call draws on. Leaving is never limited.
    enum Limit: Sendable {
        case none
        /// The calls of one client address.
        case address
    }

    /// By which names of the host a route may be called.
    enum Hosts: Sendable {
        /// The accepted ones.
        case accepted
        /// Any host name: a health check calls the server by its address.
        case any
    }

    /// How long a call may take.
    enum Duration: Sendable {
        /// The request timeout.
        case bounded
        /// Until either side ends it: a feed.
        case open
    }

    /// Whether the body is read before the route responds. A route that needs a token checks the token first, and a
    /// request that only looks has no body that means anything (RFC 9110, 9.3.1).
    var readsBodyFirst: Bool {
        guard method != .get, operation.reads != .nothing else { return false }
        return switch operation.authority {
        case .none, .personOrTicket: true
        case .person, .subject, .administrator, .follower: false
        }
    }

    /// The longest body, in bytes; nil for the limit of the settings. Bodies without a token are short.
    var bodyBytes: Int? {
        if let longestBody { return longestBody }
        if page != nil { return 64 << 10 }
        return operation.authority == .personOrTicket ? 4 << 10 : nil
    }

    /// The same route with a body of at most this number of bytes.
    func taking(atMost bytes: Int) -> Route {
        var route = self
        route.longestBody = bytes
        return route
    }

    init(
        _ method: HTTPRequest.Method, _ path: String, _ operation: RouteOperation, limit: Limit = .none,
        duration: Duration = .bounded, place: ErrorStatus.Place = .caller,
        respond: @escaping @Sendable (RouteCall) async throws -> Response
    ) {
        self.method = method
        self.path = path
        self.limit = limit
        self.duration = duration
        self.place = place
        self.operation = operation
        self.respond = respond
    }

    /// The same, for GET only.
    var withoutHead: Route {
        var route = self
        route.answersHead = false
        return route
    }

    /// Whether it answers requests of a method.
    func answers(_ method: HTTPRequest.Method) -> Bool {
        guard method == .head else { return method == self.method }
        return self.method == .get && duration == .bounded && answersHead
    }
}
