// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellKeys
import Foundation

/// A proof that a user has just proved their identity again: for one action of one user, once, for five minutes.
public struct StepUp: Sendable, Hashable {
    public let text: String

    public init(_ text: String) { self.text = text }

    static func made(with entropy: Entropy) -> StepUp { StepUp(Base64URL.text(entropy.bytes(32))) }

    /// How long it is valid, in seconds.
    public static let life = 300

    var hash: String { SHA256.hash(data: Data(text.utf8)).hexadecimal }
}

extension StepUp: CustomStringConvertible, CustomDebugStringConvertible {
    public var description: String { "***" }
    public var debugDescription: String { "***" }
}
