// SPDX-License-Identifier: Apache-2.0

import Farewell

/// A third-party system's answer: untrusted, and bounded in size.
package struct SystemReply: Sendable {
    package var status: Int
    /// By name in small letters; of several of one name the first.
    package var headers: [String: String]
    package var body: [UInt8]

    package init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers.mapValues(\.streamSafe)
        self.body = body
    }

    /// The body as it is written. A page, a fragment or nothing is no answer.
    ///
    /// Apps write parts of a system's answers. Names of members that Unicode treats as equal, two members of one name,
    /// any depth, halves of surrogate pairs and numbers of any size are no fault of the answer: only the members that
    /// are needed are interpreted.
    ///
    /// - Throws: `ConnectorFault.garbled`.
    package func json(from system: String) throws -> RawJSON {
        guard headers["content-type"]?.lowercased().contains("json") == true else {
            throw ConnectorFault.garbled(system, "it is not JSON")
        }
        do {
            return try RawJSON(body, depth: .max)
        } catch {
            throw ConnectorFault.garbled(system, "its JSON cannot be read")
        }
    }

    /// How long the system asks to be left alone, in seconds.
    package func retryAfter(at now: Double) -> Double? {
        headers["retry-after"].flatMap { RetryAfter.seconds($0, now: now) }
    }
}
