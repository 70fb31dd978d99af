// SPDX-License-Identifier: Apache-2.0

extension ResponseTable {
    private static let conditions =
        "https://firebase.google.com/docs/reference/rest/database#section-error-conditions"

    /// The database answers with the statuses of HTTP and a bare sentence.
    package static let realtimeDatabase = ResponseTable(
        "realtime-database",
        [
            // It expects a deletion to take too long.
            .init([400], .unsupported("{code}"), conditions),
            .init(
                [404], saying: "different region", .misconfigured("the database is in another region than its address"),
                "https://firebase.google.com/docs/projects/locations#rtdb-locations"),
            .init([404], .misconfigured("there is no such database (setting `endpoint`)"), conditions),
            .init([409], .again, conditions),
            .init([423], .misconfigured("the database is disabled"), conditions),
        ])
}
