// SPDX-License-Identifier: Apache-2.0

/// The statuses of refusals, in one place: the common path refuses all calls alike, and a route lists its own in
/// `RouteOperation.refusals`. No refusal has another status.
enum RouteRefusals {
    static let meanings: [(status: Int, meaning: String)] = [
        (400, "The request is malformed or invalid."),
        (401, "The token is missing or invalid."),
        (403, "The token is invalid or lacks the permission."),
        (404, "Not found."),
        (409, "Another request just changed it, or it can no longer be changed."),
        (413, "The body is too long."),
        (421, "The request is for another host."),
        (422, "The request is valid, but not allowed here."),
        (429, "Too many requests; Retry-After gives the time to wait."),
        (431, "The header fields are too long."),
        (500, "An error of the server."),
        (503, "Temporarily unavailable; try again."),
        (504, "The request took too long; try again."),
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
