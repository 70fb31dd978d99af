// SPDX-License-Identifier: Apache-2.0

/// The statuses of refusals, in one place: the common path refuses all calls alike, and a route lists its own in
/// `RouteOperation.refusals`. No refusal has another status.
enum RouteRefusals {
    static let meanings: [(status: Int, meaning: String)] = [
        (400, "What came is no request, or what it says is not valid."),
        (401, "No token came along, or none that is good."),
        (403, "The token is not good, or not for this."),
        (404, "There is no such thing."),
        (409, "It was changed at this very moment, or can no longer be."),
        (413, "The body is too long."),
        (421, "The request is for another host."),
        (422, "It is understood, and not allowed here."),
        (429, "Too often; Retry-After says when to come back."),
        (431, "The header fields are too long."),
        (500, "A fault of ours."),
        (503, "Not now; ask again."),
        (504, "It took too long; ask again."),
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
