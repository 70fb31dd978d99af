// SPDX-License-Identifier: Apache-2.0

/// A connector to a system that begins, and calls back when it has ended.
///
/// What it tells is kept with the step and handed to `erase` as the request's `news`, together with the cursor of
/// `accepted(cursor:seconds:)`: also to another process, and after any number of restarts.
public protocol CalledBackConnector: Connector {
    /// What a message says, if it is the system's own.
    ///
    /// - Throws: `FarewellError` for a message that is not the system's, too old, or none.
    func hear(_ message: SystemMessage) throws -> SystemNews
}

/// A message as it arrived: anybody's word until it is proved.
public struct SystemMessage: Sendable, Hashable {
    /// By name in small letters.
    public var headers: [String: String]
    public var body: [UInt8]

    public init(headers: [String: String], body: [UInt8]) {
        self.headers = headers
        self.body = body
    }
}

/// What a system told, and of which of our requests.
public struct SystemNews: Sendable, Hashable {
    /// The key of the request.
    public var key: String
    /// What is kept until the step goes on. Holds nothing of a person.
    public var text: String

    public init(key: String, text: String) {
        self.key = key
        self.text = text
    }
}
