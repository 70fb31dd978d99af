// SPDX-License-Identifier: Apache-2.0

public import Farewell
import FarewellKeys
import FarewellPlan
public import FarewellSQL
import Foundation

extension ErasureEngine {
    /// An engine for reading only: it makes no control store, no keys and no state directory.
    ///
    /// `preview` and `verify` work with it, also for a role and on a file that can only be read. Its signatures and
    /// hashes have no value, so it must not be used for anything else.
    public static func looking(
        at database: any SQLDatabase, plan: Plan, folder: String = ".", connectors: [String: any Connector] = [:],
        environment: EngineEnvironment
    ) async throws -> ErasureEngine {
        ErasureEngine(
            database: database, prepared: try await PreparedPlan.prepare(plan.rooted(at: folder), on: database),
            control: ControlStore(dialect: database.dialect), keys: KeyStore.unsaved(now: environment.now),
            environment: environment, connectors: connectors)
    }

    /// The reason why the database accepts no writes; nil if it accepts them. Only reads.
    ///
    /// - Throws: the database's errors.
    package func writeObstacle() async throws -> FarewellError? { try await database.writeObstacle() }

    /// Why the clock decides nothing irreversible now; nil while it may. Makes no query.
    package var clockFault: ClockStanding? { clock.fault }

    /// Looks at the clock again, if it is not trusted.
    package func recheckClock() async { await clock.recheck() }

    /// The fingerprint of the database now: it differs once the schema, or a vendor's list of buckets, has changed.
    ///
    /// - Throws: Errors of the database.
    package func databaseFingerprint() async throws -> DatabaseFingerprint {
        let prepared = prepared
        let buckets = unfit.map { VendorBuckets($0.plan, prepared.schema) } ?? prepared.buckets
        return try await database.withConnection { connection in
            let stamp = try await connection.run(SchemaStamp(dialect: database.dialect).read).scalar ?? .null
            return DatabaseFingerprint(stamp: stamp, buckets: try await buckets?.listed(on: connection))
        }
    }

    /// The place of the first of some texts that is the key of a row of the subject's table; `nil` if none is. Only
    /// reads.
    package func firstKey(among texts: [String]) async throws -> Int? {
        let resolver = SubjectResolver(prepared: prepared)
        for piece in texts.chunks(ofCount: 1_000) where try await resolver.isAnyThere(Array(piece), in: database) {
            for place in piece.indices where try await resolver.isAnyThere([texts[place]], in: database) {
                return place
            }
        }
        return nil
    }

    /// The keyed hash that identifies a subject in the control store, receipts and ledger.
    ///
    /// - Throws: `subject.malformed` if the text cannot be a key.
    package func subjectHash(of subject: String) throws -> SubjectHash {
        let key = try SubjectResolver(prepared: prepared).key(subject)
        return keys.subjectHash(table: prepared.plan.subject.table, key: key.asSubject)
    }
}
