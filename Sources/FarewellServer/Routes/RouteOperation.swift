// SPDX-License-Identifier: Apache-2.0

/// The OpenAPI 3.1 description of a route.
struct RouteOperation: Sendable {
    let id: String
    let summary: String
    let tag: String
    var authority: Authority = .none
    var parameters: [Parameter] = []
    var body: Body?
    /// By status; each answers with a schema of this name, or with nothing.
    let answers: [Int: Answer]
    /// The refusals of this operation, in addition to those of every route (`RouteRefusals`): codes as callers see
    /// them, by status.
    var refusals: [Int: Set<String>] = [:]
    var reads: Reading = .database
    /// The operations that use values of the answer.
    var links: [Link] = []

    /// The callers that a route accepts.
    enum Authority: Sendable, Hashable {
        case none
        /// A user, by an access token of this server.
        case person
        /// A user, by an access token of this server or of an issuer that the settings trust.
        case subject
        /// A user, as in `subject`; or, once their erasure is accepted, the holder of its ticket.
        case personOrTicket
        /// An operator, by a token with an administrator's role.
        case administrator
        /// A service that follows revocations, by its key.
        case follower
    }

    /// The input that a route reads.
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
