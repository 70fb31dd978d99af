// SPDX-License-Identifier: Apache-2.0

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
