// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// The context of all parts of the authority: the database and its statements, the keys, the settings and the time.
final class AuthorityContext: Sendable {
    let settings: AuthoritySettings
    let database: any SQLDatabase
    let store: AuthorityStore
    let keys: AuthorityKeys
    /// Its `now` is the store's time.
    let environment: EngineEnvironment
    let clock: StoreClock

    init(
        _ database: any SQLDatabase, _ store: AuthorityStore, _ keys: AuthorityKeys, _ clock: StoreClock,
        _ settings: AuthoritySettings, _ environment: EngineEnvironment
    ) {
        self.database = database
        self.store = store
        self.keys = keys
        self.clock = clock
        self.settings = settings
        self.environment = environment.timed(by: clock)
    }
}
