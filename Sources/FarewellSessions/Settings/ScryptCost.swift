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
}
