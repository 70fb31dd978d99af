// SPDX-License-Identifier: Apache-2.0

public import Farewell

/// The kinds of systems that Farewell knows, and the connectors of a plan.
public enum ConnectorKinds {
    /// The names of the kinds, as a plan writes them.
    public static var names: [String] { makers.keys.sorted() }

    /// A connector for every system of the plan, by the systems' names.
    ///
    /// - Throws: `plan.system` for an unknown kind, and when a system's settings are not what its kind needs. No system
    ///   is called, and no secret read.
    public static func connectors(of plan: Plan, world: ConnectorWorld) throws -> [String: any Connector] {
        var connectors: [String: any Connector] = [:]
        for system in plan.systems { connectors[system.name] = try connector(of: system, world: world) }
        return connectors
    }

    /// Whether Farewell has a connector of that kind; programs can add connectors of other kinds.
    package static func knows(_ kind: String) -> Bool { makers[kind] != nil }

    /// - Throws: `plan.system`, as ``connectors(of:world:)``.
    package static func connector(of system: SystemPlan, world: ConnectorWorld) throws -> any Connector {
        guard let make = makers[system.kind] else {
            throw FarewellError(
                "plan.system", .yoursToFix, "The plan's system \(system.name) has an unknown kind.",
                remedy: "Known kinds: \(names.joined(separator: ", ")).")
        }
        return try make(system, world)
    }

    private static let makers: [String: @Sendable (SystemPlan, ConnectorWorld) throws -> any Connector] = [
        "cognito": { try CognitoConnector($0, world: $1) },
        "dynamodb": { try DynamoDBConnector($0, world: $1) },
        "firebase-auth": { try FirebaseAuthConnector($0, world: $1) },
        "firebase-storage": { try FirebaseStorageConnector($0, world: $1) },
        "firestore": { try FirestoreConnector($0, world: $1) },
        "realtime-database": { try RealtimeDatabaseConnector($0, world: $1) },
        "apple": { try AppleConnector($0, world: $1) },
        "revenuecat": { try RevenueCatConnector($0, world: $1) },
        "stripe": { try StripeConnector($0, world: $1) },
        "supabase-auth": { try SupabaseAuthConnector($0, world: $1) },
        "supabase-storage": { try SupabaseStorageConnector($0, world: $1) },
        "s3": { try S3Connector($0, world: $1) },
        "webhook": { try WebhookConnector($0, world: $1) },
    ]
}
