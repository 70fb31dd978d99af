// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A proof of identity as it is kept: for one act of one subject.
struct ProofRecord: Sendable, Hashable {
    var hash: String
    var subjectHash: String
    var action: String
    /// The hash of what it rests on, if it rests on more than the subject.
    var basisHash: String?

    /// The text that is kept until the proof is used: the action, on this basis.
    var unspent: String { basisHash.map { "\(action)#\($0)" } ?? action }

    /// The use of a proof that has not expired.
    enum Use: Sendable, Hashable {
        case unused
        /// An erasure was accepted with it.
        case erasure(UUID)
    }

    /// As it is kept once an erasure was accepted with the proof: no act has this name, so nothing more can be done
    /// with it. The same request is answered with it on any basis, because its erasure may end the session.
    func spent(for erasure: UUID) -> String { "\(action)/\(erasure.uuidString)" }

    /// - Parameter text: The stored record of the proof; `nil` without one.
    func use(_ text: String?) -> Use? {
        guard let text else { return nil }
        guard text != unspent else { return .unused }
        guard text.hasPrefix("\(action)/") else { return nil }
        return UUID(uuidString: String(text.dropFirst(action.count + 1))).map(Use.erasure)
    }
}
