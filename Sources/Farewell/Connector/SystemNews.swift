// SPDX-License-Identifier: Apache-2.0

/// A system's message, and the request that it concerns.
public struct SystemNews: Sendable, Hashable {
    /// The key of the request.
    public var key: String
    /// The text stored until the step continues. Contains nothing personal.
    public var text: String

    public init(key: String, text: String) {
        self.key = key
        self.text = text
    }
}
