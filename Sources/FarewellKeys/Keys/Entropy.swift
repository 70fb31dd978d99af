// SPDX-License-Identifier: Apache-2.0
import Crypto

/// The source of random bytes: the operating system, or a seeded generator in tests.
package struct Entropy: Sendable {
    private let make: @Sendable (Int) -> [UInt8]

    /// `make` returns as many bytes as requested.
    package init(_ make: @escaping @Sendable (_ count: Int) -> [UInt8]) { self.make = make }

    package func bytes(_ count: Int) -> [UInt8] { make(count) }

    /// The system's own generator (the crypto library's, seeded by the operating system), fit for keys.
    package static let live = Entropy { count in
        SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes(Array.init)
    }
}
