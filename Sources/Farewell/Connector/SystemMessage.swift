// SPDX-License-Identifier: Apache-2.0

/// A message as it arrived: untrusted until it is verified.
public struct SystemMessage: Sendable, Hashable {
    /// By name in lower case.
    public var headers: [String: String]
    public var body: [UInt8]

    public init(headers: [String: String], body: [UInt8]) {
        self.headers = headers
        self.body = body
    }
}
