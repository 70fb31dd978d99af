// SPDX-License-Identifier: Apache-2.0

/// What a route is in the description for programs (OpenAPI 3.1).
struct RouteOperation: Sendable {
    let id: String
    let summary: String
    let tag: String
    var authority: Authority = .none
    var parameters: [Parameter] = []
    var body: Body?
    /// By status; each answers with a schema of this name, or with nothing.
    let answers: [Int: Answer]
    /// What its own acts may be refused with, beside what every route may refuse (`RouteRefusals`).
    var refusals: Set<Int> = []
    var reads: Reading = .database
    /// What can be done with what is answered.
    var links: [Link] = []

    /// Who may call.
    enum Authority: Sendable, Hashable {
        case none
        /// A person, by an access token.
        case person
        /// A person, by an access token; or, once their erasure is accepted, whoever shows its ticket.
        case personOrTicket
        /// An operator, by a token with an administrator's role.
        case administrator
        /// A service that follows revocations, by its key.
        case follower
    }

    /// What it takes to answer.
    enum Reading: Sendable, Hashable {
        case database
        /// Nothing that could be away.
        case nothing
    }

    struct Parameter: Sendable {
        let name: String
        let place: Place
        let schema: Schema
        var isRequired = false
        let meaning: String

        enum Place: String, Sendable { case path, query, header }
    }

    /// Another operation that takes a value of the answer (at a JSON pointer) as a parameter.
    struct Link: Sendable {
        let operation: String
        let parameter: String
        let pointer: String
    }

    struct Body: Sendable {
        let schema: Schema
        var isRequired = true
    }

    struct Answer: Sendable {
        let meaning: String
        var schema: Schema?
        var type = "application/json"
    }
}
