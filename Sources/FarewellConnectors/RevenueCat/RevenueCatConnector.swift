// SPDX-License-Identifier: Apache-2.0

import Farewell

/// RevenueCat, by its second API: the first one makes a customer anew when it is asked whether there is one.
///
/// The person's names are customers (app user identifiers). Settings: `project`, `endpoint`; secrets: `key`.
public struct RevenueCatConnector: Connector {
    private let rest: RESTCaller
    private let project: String
    public let declaration: ConnectorDeclaration
    private static let usual = ConnectorDeclaration(
        abilities: [.count, .verify], budget: RateBudget(burst: 8, perSecond: 8),
        permissions: ["customer_information:customers:read_write"],
        remarks: [
            ReceiptNote(
                about: "subscriptions bought in a store",
                note: "They belong to the App Store or Google Play and end only when they are cancelled there.")
        ])

    /// - Throws: `plan.system` when the plan does not say what it must.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(system, knows: ["project", "endpoint"], secrets: ["key"])
        declaration = try settings.paced(Self.usual)
        project = try settings.required("project")
        let secrets = SystemSecrets(system, world: world)
        rest = RESTCaller(
            system.name, at: try settings.address(else: "https://api.revenuecat.com"), budget: declaration.budget,
            world: world
        ) {
            [("Authorization", "Bearer \(try secrets.required("key"))")]
        }
    }

    public func count(_ request: ConnectorRequest) async throws -> Int? {
        try await request.count { try await ask("GET", $0, key: nil) }
    }

    public func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        try await request.erase { try await ask("DELETE", $0, key: $1) }
    }

    public func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        ConnectorReading(left: try await count(request) ?? 0)
    }

    /// - Returns: Whether there was such a customer.
    private func ask(_ method: String, _ name: String, key: String?) async throws -> Bool {
        let reply = try await rest.ask(
            method, "/v2/projects/\(try rest.part(project))/customers/\(try rest.part(name))", key: key,
            answers: [404], permission: "customer_information:customers:read_write")
        let answer = try reply.json(from: rest.system)
        if reply.status == 404 {
            guard answer["type"]?.string == "resource_missing" else {
                throw ConnectorFault.garbled(rest.system, "a 404 of something else")
            }
            return false
        }
        guard answer["id"]?.string == name else { throw ConnectorFault.garbled(rest.system, "no customer") }
        return true
    }
}
