// SPDX-License-Identifier: Apache-2.0

/// The parameters that routes of erasures have in common.
extension RouteOperation.Parameter {
    static let erasureID = RouteOperation.Parameter(
        name: "id", place: .path, schema: .formatted("uuid"), meaning: "The identifier.")
    static let erasureTicket = RouteOperation.Parameter(
        name: "X-Farewell-Ticket", place: .header, schema: .sized(22...128),
        meaning: "The ticket of the erasure.")
    static let stepUp = RouteOperation.Parameter(
        name: "X-Farewell-Step-Up", place: .header, schema: .text,
        meaning: "A proof from /v1/step-ups, required if the sign-in is not recent.")
}

extension RouteOperation {
    /// The refusals of a request for an erasure.
    static let requestRefusals: [Int: Set<String>] = [
        404: ["erasure.unknown"], 409: ["erasure.cancelled"], 422: ["erasure.key-reused"], 429: ["erasure.too-often"],
        503: ["erasure.busy", "erasure.clock", "erasure.identifier-form", "erasure.plan-unfit"],
    ]

    /// The requests' refusals with others.
    static func requestRefusals(and others: [Int: Set<String>]) -> [Int: Set<String>] {
        requestRefusals.merging(others) { $0.union($1) }
    }
}
