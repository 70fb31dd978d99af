// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellKeys
import Foundation

/// A proof that a user has just proved their identity again: for one action of one user, once, for five minutes.
public struct StepUp: Sendable, Hashable {
    public let text: String
    /// The session and the password that the proof rests on, as one text: with another basis it is not valid. `nil` if
    /// it rests on the user alone.
    package var basis: String?

    public init(_ text: String) { self.text = text }

    package init(_ text: String, basis: String?) {
        self.text = text
        self.basis = basis
    }

    static func made(with entropy: Entropy, basis: String?) -> StepUp {
        StepUp(Base64URL.text(entropy.bytes(32)), basis: basis)
    }

    /// How long it is valid, in seconds.
    public static let life = 300

    var hash: String { SHA256.hash(data: Data(text.utf8)).hexadecimal }

    /// The basis as it is kept: it says nothing without the proof.
    var basisHash: String? { basis.map { SHA256.hash(data: Data("\(text)/\($0)".utf8)).hexadecimal } }

    /// The proof as it is kept, for one action of one subject.
    func record(of subjectHash: String, for action: StepUpAction) -> ProofRecord {
        ProofRecord(hash: hash, subjectHash: subjectHash, action: action.rawValue, basisHash: basisHash)
    }
}

extension StepUp: CustomStringConvertible, CustomDebugStringConvertible {
    public var description: String { "***" }
    public var debugDescription: String { "***" }
}
