// SPDX-License-Identifier: Apache-2.0

import FarewellSQL

extension ServeSettings {
    /// How the server's own database is connected to, beside what holds for all.
    func connecting(_ base: PostgreSQLConfiguration) -> PostgreSQLConfiguration {
        var configuration = base
        configuration.pooled = pooled
        configuration.statementTimeout = .seconds(statementTimeout)
        configuration.listenAddress = listenAddress
        return configuration
    }

    /// The same for the plan's database, if it is another one.
    func connectingToPlanned(_ base: PostgreSQLConfiguration) -> PostgreSQLConfiguration {
        var configuration = base
        configuration.pooled = pooled
        configuration.statementTimeout = .seconds(statementTimeout)
        configuration.listenAddress = erasures.listenAddress
        return configuration
    }
}
