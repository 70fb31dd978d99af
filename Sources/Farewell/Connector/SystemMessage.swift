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

    /// The refusal of a message that its system has not signed. It names no system, because a message to a name that
    /// no system has gets the same: otherwise strangers could learn which systems a plan names.
    package static let unsigned = FarewellError(
        "erasure.message-unsigned", .yoursToFix, "The message has no valid signature of this system.",
        remedy: "Sign it by Standard Webhooks with the secret of this system, send it at once, and check that the "
            + "address contains the system's name in the plan.")
}
