// SPDX-License-Identifier: Apache-2.0

/// The statuses of refusals, in one place: the common path refuses all calls alike, and a route lists its own in
/// `RouteOperation.refusals`. No refusal has another status.
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

    static func statuses(of route: Route) -> Set<Int> {
        let operation = route.operation
        // Input that is no HTTP, and oversized fields, are refused before a route is looked up.
        var statuses = operation.refusals.union([400, 431, 500])
        if route.hosts == .accepted { statuses.insert(421) }
        if operation.reads == .database { statuses.insert(503) }
        // The body is bounded, and so is the time, even if no body is expected.
        if route.duration == .bounded { statuses.formUnion([413, 504]) }
        if route.limit == .address { statuses.insert(429) }
        if operation.authority != .none { statuses.formUnion([401, 403]) }
        if operation.parameters.contains(where: { $0.place == .path }) { statuses.insert(404) }
        return statuses
    }
}

extension Route {
    /// Every status that it answers with.
    var statuses: Set<Int> { RouteRefusals.statuses(of: self).union(operation.answers.keys) }
}
