// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// One request as a route sees it, within its limits.
struct RouteCall: Sendable {
    let method: HTTPRequest.Method
    /// The host that the request names: unverified text, from which nothing is derived.
    let authority: String?
    let headers: HTTPFields
    let query: [String: String]
    let parameters: [String: String]
    let body: CallBody
    /// When it must have ended; nil for a feed.
    let deadline: CallDeadline?
    /// The client's address; nil if the mounting application does not expose it.
    let address: String?
    /// The connection of the call; nil if the server is mounted in an application that does not expose it.
    let connection: CallerConnection?
    let id: String
    let log: Logger
    /// How deep the JSON of the body may nest.
    let jsonDepth: Int

    /// How long to wait for something else: as long as asked, but no longer than the call can wait and still answer.
    func longestWait(atMost seconds: Int) -> Duration {
        min(.seconds(seconds), deadline?.longestWait ?? .seconds(seconds))
    }

    /// Whether a proxy says that it passes the call on. One that says nothing is not recognised.
    var isForwarded: Bool {
        headers.contains { field in
            let name = field.name.canonicalName
            return ["forwarded", "via", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip"].contains(name)
                || name.utf8.starts(with: "x-forwarded-".utf8)
        }
    }

    /// The members of the body, which must be a JSON object.
    func members() async throws -> JSONMembers {
        let bytes = try await body.bytes()
        try deadline?.check()
        let members = try JSONMembers(Array(bytes.readableBytesView), depth: jsonDepth, deadline: deadline)
        try deadline?.check()
        return members
    }

    /// The members of the body; none if there is no body.
    func membersIfAny() async throws -> JSONMembers {
        try await body.bytes().readableBytes == 0 ? .none : try await members()
    }

    /// The token of `Authorization: Bearer …`.
    ///
    /// - Throws: `auth.no_authorization` if there is none, or another kind.
    func bearerToken() throws -> String {
        let field = headers[.authorization] ?? ""
        let space = UInt8(ascii: " ")
        guard let (scheme, token) = field.divided(at: space), scheme.isWord("bearer"), token.divided(at: space) == nil
        else {
            throw FarewellError(
                "auth.no_authorization", .yoursToFix, "This endpoint requires a valid Bearer token")
        }
        return String(token)
    }

    /// A parameter of the path that is a UUID.
    func identifier(_ name: String) -> UUID? { parameters[name].flatMap(UUID.init(text:)) }
}

extension JSONMembers {
    /// Looks at the deadline of a call while the bytes are read.
    ///
    /// - Throws: `auth.bad_json`; the errors of `CallDeadline.check`.
    init(_ bytes: [UInt8], depth: Int, deadline: CallDeadline?) throws {
        do {
            self = try JSONMembers(bytes, depth: depth, goesOn: { deadline?.isOver != true })
        } catch StrictJSON.Fault.stopped {
            try deadline?.check()
            throw CallDeadline.passed
        }
    }
}
