// SPDX-License-Identifier: Apache-2.0

import Farewell

/// One call of a third-party system: the request, and the expected answer.
package struct SystemCall: Sendable {
    package var method: String
    package var address: SystemAddress
    /// Decoded, beginning with a slash.
    package var path: String
    package var query: [(name: String, value: String)]
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// Statuses that are answers beside those of success, e.g. 404 for "not there".
    package var answers: Set<Int>
    /// The right that the call needs, in the system's own words.
    package var permission: String
    /// Bytes of an answer that are read at most.
    package var limit = 1 << 20
    /// The path on the wire, if a part of it is encoded in another way than the rest.
    package var writtenPath: String?
    /// Whether the call's signature contains the path: a server that reads another path refuses the call.
    package var isPathSigned = false
    /// The checked network address for the call, even if the host's name has changed.
    package var pin: String?
    /// The meaning of the system's other statuses.
    package var responses = ResponseTable.http
    /// The system's own code and sentence in a reply that is an error.
    package var reading: @Sendable (SystemReply) -> ErrorWords = { _ in ErrorWords() }

    package init(
        _ method: String, _ address: SystemAddress, _ path: String, query: [(name: String, value: String)] = [],
        headers: [(name: String, value: String)] = [], body: [UInt8] = [], answers: Set<Int> = [],
        permission: String
    ) {
        self.method = method
        self.address = address
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.answers = answers
        self.permission = permission
    }

    package var encodedPath: String { writtenPath ?? PercentEncoding.path(path) }

    /// Whether a part of the path is `.` or `..`, also with encoded dots: servers and gateways remove such parts, and
    /// one before (RFC 3986, sections 5.2.4 and 6.2.2), so the path would be that of something else.
    package var leadsElsewhere: Bool {
        encodedPath.slashParts.contains { part in
            let plain = part.replacing("%2E", with: ".").replacing("%2e", with: ".")
            return plain.isByteEqual(to: ".") || plain.isByteEqual(to: "..")
        }
    }

    package var encodedQuery: String {
        query.map { "\(PercentEncoding.text($0.name))=\(PercentEncoding.text($0.value))" }.joined(separator: "&")
    }

    package var url: String {
        "\(address.scheme)://\(address.host)\(encodedPath)" + (query.isEmpty ? "" : "?\(encodedQuery)")
    }
}
