// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// How dear an scrypt hash is (RFC 7914): 128 · 2^logN · blockSize bytes of memory, `parallelism` times one after
/// the other.
public struct ScryptCost: Sendable, Hashable {
    public var logN: Int
    public var blockSize: Int
    public var parallelism: Int

    public init(logN: Int = 15, blockSize: Int = 8, parallelism: Int = 3) {
        self.logN = logN
        self.blockSize = blockSize
        self.parallelism = parallelism
    }

    /// The dearest cost: the highest that a server's settings name.
    private static let dearest = ScryptCost(logN: 20)

    /// Whether hashes of this cost are made and checked: one takes no more memory and no more work than the dearest.
    var isSupported: Bool {
        guard (1...20).contains(logN), (1...32).contains(blockSize), (1...16).contains(parallelism) else {
            return false
        }
        let dearest = Self.dearest
        return memory <= dearest.memory && memory * parallelism <= dearest.memory * dearest.parallelism
    }

    /// In units of 128 bytes.
    private var memory: Int { blockSize << logN }
}
