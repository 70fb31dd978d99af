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
