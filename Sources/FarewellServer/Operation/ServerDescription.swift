// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellSQL
import FarewellSessions
import Foundation
import HTTPTypes
import Logging

/// The description of a server that offers everything, for the documentation.
package enum ServerDescription {
    /// The document that such a server answers at `/openapi.json`, with `/metrics`.
    ///
    /// - Parameter folder: An empty folder for its database and keys.
    @available(macOS 15, iOS 18, *)
    package static func openAPI(in folder: String) async throws -> JSONValue {
        let text = try await withServer(in: folder) { server in
            let ofOperators = OperationRoutes(server: server).ofOperators.filter { $0.path == "/metrics" }
            return try OpenAPIDocument.text(server.routes + ofOperators)
        }
        return try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }

    /// The codes of errors that callers receive, with the status of their answer; a code may have several.
    package static var errors: [(code: String, status: Int)] {
        let contract = ErrorStatus.contract.map { (code: "auth." + $0.key, status: $0.value.code) }
        let own = [ErrorStatus.erasures, ErrorStatus.exports].joined().map { (code: $0.key, status: $0.value.code) }
        return (contract + own).sorted { ($0.code, $0.status) < ($1.code, $1.status) }
    }

    /// The statuses of refusals, with their meaning and the codes of the common path.
    package static var refusals: [(status: Int, meaning: String, general: [String])] {
        RouteRefusals.meanings.map { ($0.status, $0.meaning, (RouteRefusals.general[$0.status] ?? []).sorted()) }
    }

    @available(macOS 15, iOS 18, *)
    private static func withServer<Value: Sendable>(
        in folder: String, _ use: @Sendable (FarewellServer) throws -> Value
    ) async throws -> Value {
        let log = Logger(label: "description") { _ in SwiftLogNoOpLogHandler() }
        let environment = EngineEnvironment.live(log: log)
        let database = try openDatabase(
            "sqlite:\(folder)/description.sqlite", sqlite: SQLiteConfiguration(access: .createIfMissing))
        let settings = try ServeSettings.read(
            path: nil,
            environment: ["FAREWELL_ERASURES_APPLE_EVENTS": "on", "FAREWELL_APPLE_CLIENT_IDS": "org.example.app"])
        let authority = try await SessionAuthority.open(
            database, settings: AuthoritySettings(issuer: "https://id.example.org/auth/v1"), state: folder + "/state",
            environment: environment)
        // Erasures wait for a plan that fits; their routes exist.
        let plan = Plan(subject: SubjectRoot(table: TableName("users"), key: "id"), tables: [])
        let engine = try await ErasureEngine.openTolerantly(
            database, plan: plan, folder: folder, state: folder + "/state", lease: 15, connectors: [:],
            environment: environment)
        let requests = ErasureRequests(engine, rules: ServiceRules())
        let apple = try AppleEvents.prepared(settings, requests: requests, authority: authority, log: log)
        let exports = try await ExportRequests.open(engine, erasures: requests, state: folder + "/state")
        let serving = ErasureServing(
            requests, engine: engine, foreign: nil, wait: 8, systems: [:], appleEvents: apple?.events, eventKey: nil,
            accounts: nil, exports: exports)
        let server = FarewellServer(authority, erasures: serving, metrics: MetricsRegistry(), log: log)
        let value = try use(server)
        await exports.close()
        await database.close()
        return value
    }
}
