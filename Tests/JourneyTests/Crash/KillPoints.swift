// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation

/// The points at which a sweep over both databases kills a process: each point on one of them, in turn, since the engine
/// takes the same steps on both. `FAREWELL_TEST_EVERY_POINT=1` kills at each point on both.
enum KillPoints {
    static let isEachOnBoth = ProcessInfo.processInfo.environment["FAREWELL_TEST_EVERY_POINT"] != nil

    static func of(_ dialect: SQLDialect, most: Int) -> [Int] {
        guard !isEachOnBoth else { return Array(1...most) }
        return Array(stride(from: dialect == .sqlite ? 1 : 2, through: most, by: 2))
    }
}
