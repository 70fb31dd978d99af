// SPDX-License-Identifier: Apache-2.0

import FarewellSQL

extension ServeSettings {
    /// How the server's own database is connected to, beside what holds for all.
    func connecting(_ base: PostgreSQLConfiguration) -> PostgreSQLConfiguration {
        var configuration = base
        configuration.pooled = pooled
        configuration.statementTimeout = .seconds(statementTimeout)
        configuration.listenAddress = listenAddress
        configuration.namedBy = databaseOrigin.name
        configuration.listenNamedBy = SettingKey.listenURL.name
        return configuration
    }

    /// The same for the plan's database, if it is another one.
    func connectingToPlanned(_ base: PostgreSQLConfiguration) -> PostgreSQLConfiguration {
        var configuration = base
        configuration.pooled = pooled
        configuration.statementTimeout = .seconds(statementTimeout)
        configuration.listenAddress = erasures.listenAddress
        configuration.namedBy = SettingKey.dataURL.name
        configuration.listenNamedBy = SettingKey.dataListenURL.name
        return configuration
    }
}
