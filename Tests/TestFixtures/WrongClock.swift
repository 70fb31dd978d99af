// SPDX-License-Identifier: Apache-2.0

import FarewellKeys
import FarewellSQL
import Foundation

/// A way in which the wall clock of a machine is wrong, that stops what cannot be undone.
package struct WrongClock: Sendable, CustomStringConvertible {
    package let dialect: SQLDialect
    package let description: String
    /// Seconds ahead of the time.
    package let error: TimeInterval

    private static let years: TimeInterval = 11 * 365 * 86_400

    package static let all = SQLDialect.allCases.flatMap { dialect -> [WrongClock] in
        let every = [
            WrongClock(dialect: dialect, description: "\(dialect): 11 years ahead", error: years),
            WrongClock(dialect: dialect, description: "\(dialect): 11 years behind", error: -years),
            WrongClock(dialect: dialect, description: "\(dialect): 25 hours ahead", error: 25 * 3_600),
            WrongClock(dialect: dialect, description: "\(dialect): 25 hours behind", error: -25 * 3_600),
        ]
        let little = [
            WrongClock(dialect: dialect, description: "two minutes ahead of PostgreSQL", error: 120),
            WrongClock(dialect: dialect, description: "two minutes behind PostgreSQL", error: -120),
        ]
        return every + (dialect == .postgresql ? little : [])
    }
}

extension EngineFixture {
    /// Lines of the log that say the clock is wrong.
    package var clockLines: [String] { log.lines.filter { $0.contains(ClockStanding.consequence) } }

    /// The operator's act by `farewell doctor --confirm-clock`.
    package func confirmClock() throws {
        try ClockFile(.existing(at: state)).confirm(environment().reading)
    }
}
