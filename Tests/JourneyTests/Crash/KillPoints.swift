// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation

/// The points at which a sweep over both databases kills a process: each point on one of them, in turn, since the engine
/// takes the same steps on both. Several examples with equal steps share the points likewise.
/// `FAREWELL_TEST_EVERY_POINT=1` kills at each point on both databases, in each example.
enum KillPoints {
    static let isEachOnBoth = ProcessInfo.processInfo.environment["FAREWELL_TEST_EVERY_POINT"] != nil

    static func of(_ dialect: SQLDialect, most: Int, example: Int = 0, examples: Int = 1) -> [Int] {
        guard !isEachOnBoth else { return Array(1...most) }
        let first = (dialect == .sqlite ? 1 : 2) + 2 * example
        return Array(stride(from: first, through: most, by: 2 * examples))
    }
}
