// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL

extension RequestCoalescer<SessionRenewal, AccountShare> {
    /// Renewals of sessions: one transaction for all of one moment.
    static func renewals(
        _ database: any SQLDatabase, _ store: AuthorityStore, _ environment: EngineEnvironment
    ) -> RequestCoalescer {
        // SQLite has one writer at a time. On PostgreSQL one transaction may wait for the disk while another is made.
        let concurrency = database.dialect.takesSeveralWriters ? 2 : 1
        return RequestCoalescer(
            concurrency: concurrency, deadline: limit(environment), order: { $0.isLockedBefore($1) }
        ) { renewals in
            let statements = store.refreshTokens.jointRenewal(of: renewals)
            let results = try await database.pipeline(statements)
            return store.refreshTokens.shares(ofJoint: results, among: renewals.count)
        }
    }
}

extension RequestCoalescer<SessionLookUp, AccountShare> {
    /// Sessions looked up for requests that show an access token.
    static func lookUps(
        _ database: any SQLDatabase, _ store: AuthorityStore, _ environment: EngineEnvironment
    ) -> RequestCoalescer {
        RequestCoalescer(concurrency: 2, deadline: limit(environment)) { lookUps in
            let results = try await database.pipeline(store.accounts.lookUp(lookUps))
            return store.accounts.found(in: results, among: lookUps.count)
        }
    }
}

extension RequestCoalescer {
    fileprivate static func limit(_ environment: EngineEnvironment) -> Deadline {
        Deadline(limit: .seconds(1), sleep: environment.sleep)
    }
}
