// SPDX-License-Identifier: Apache-2.0
import AsyncHTTPClient
import Farewell
import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSQL
import FarewellSample
import FarewellSessions
import Foundation
import Logging
import NIOCore
import NIOHTTP1

/// An app's people in the database of a real server, with a plan for both, as an operator would set it up.
struct ServiceFixture: Sendable {
    let store: PeopleDatabase
    let folder: URL
    /// The shared client has eight connections to a host: the other clients of a benchmark would wait for one.
    private let client: HTTPClient

    private static var manyConnections: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
        return configuration
    }

    static let password = "correct horse battery staple"

    static func with<Value>(
        _ people: SamplePeople, in world: BenchWorld, _ body: (ServiceFixture) async throws -> Value
    ) async throws -> Value {
        let folder = world.folder.appending(path: "service-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: manyConnections)
        do {
            let value = try await world.withPeople(
                people,
                preparing: { database in
                    let quiet = Logger(label: "farewell-bench") { _ in SwiftLogNoOpLogHandler() }
                    _ = try await SessionAuthority.open(
                        database, settings: AuthoritySettings(issuer: "http://farewell.bench/auth/v1"),
                        state: folder.appending(path: "state").path, environment: .live(log: quiet))
                }
            ) { store in
                let house = ServiceFixture(store: store, folder: folder, client: client)
                try await house.plan()
                return try await body(house)
            }
            try await client.shutdown()
            return value
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    private var address: String { store.world.address(of: store.name) }
    private var planFile: URL { folder.appending(path: "farewell.yaml") }

    /// Has the plan derived, and takes the decisions it leaves open.
    private func plan() async throws {
        let database = try store.connect(1)
        let schema = try await Schema.read(from: database)
        await database.close()
        var plan = try PlanDerivation.draft(from: schema, subject: store.people.subject(.postgresql)).plan
            .answeringAll(.owner)
        for table in plan.tables.indices {
            for link in plan.tables[table].links.indices where plan.tables[table].links[link].shared == nil {
                plan.tables[table].links[link].shared = .erase
            }
        }
        try Data(PlanFile.text(for: plan).utf8).write(to: planFile)
    }

    /// The engine that the server has, beside it.
    func engine(on database: PostgreSQLDatabase) async throws -> ErasureEngine {
        try await ErasureEngine.open(
            database, plan: try PlanFile.load(path: planFile.path), folder: folder.path,
            state: folder.appending(path: "state").path,
            environment: .live(log: Logger(label: "farewell-bench") { _ in SwiftLogNoOpLogHandler() }))
    }

    private var environment: [String: String] {
        [
            "FAREWELL_TOKENS_ISSUER": "http://farewell.bench/auth/v1",
            "FAREWELL_LIMITS_CALLS_PER_ADDRESS": "1000000000",
            "FAREWELL_LIMITS_BURST_PER_ADDRESS": "1000000000", "FAREWELL_PEOPLE_TRIES": "1000000",
            "FAREWELL_PEOPLE_PASSWORD_COST": "10", "FAREWELL_ERASURES_RECENT_SIGN_IN": "86400",
            "FAREWELL_ERASURES_WAIT": "25",
            "FAREWELL_DATABASE_URL": address, "FAREWELL_ERASURES_PLAN": planFile.path,
        ]
    }

    /// Starts a server with as many concurrency of work of its own.
    func serve(concurrency: Int) async throws -> ServerProcess {
        try await ServerProcess(
            "farewell", ["serve", "--port", "0", "--state", folder.appending(path: "state").path],
            environment: environment.merging(["FAREWELL_ERASURES_CONCURRENCY": "\(concurrency)"]) { $1 },
            log: folder.appending(path: "serve.log"))
    }

    /// Starts a worker, which may be killed.
    func work(batch: Int) async throws -> ServerProcess {
        try await ServerProcess(
            "farewell", ["work", "--state", folder.appending(path: "state").path],
            environment: environment.merging([
                "FAREWELL_ERASURES_CONCURRENCY": "1", "FAREWELL_ERASURES_BATCH": "\(batch)",
            ]) {
                $1
            },
            log: folder.appending(path: "work-\(UUID().uuidString).log"), until: "Working")
    }

    // MARK: Asking

    /// A token of one of the app's people.
    func token(of person: String, at server: ServerProcess) async throws -> String {
        let key = try String(contentsOf: folder.appending(path: "state/service.key"), encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let given = try await ask(
            "PUT", server, "/auth/v1/admin/users/\(person)", token: key,
            #"{"password":"\#(Self.password)","email_confirm":true}"#)
        guard let email = given["email"] as? String else { throw Self.unexpected(given) }
        let signedIn = try await ask(
            "POST", server, "/auth/v1/token?grant_type=password",
            #"{"email":"\#(email)","password":"\#(Self.password)"}"#)
        guard let token = signedIn["access_token"] as? String else { throw Self.unexpected(signedIn) }
        return token
    }

    /// Asks for an erasure, and waits as long as that many seconds for its end.
    ///
    /// - Returns: its state.
    func erase(_ token: String, at server: ServerProcess, wait: Int) async throws -> String {
        let answer = try await ask(
            "POST", server, "/v1/erasures", token: token,
            headers: [("Idempotency-Key", UUID().uuidString), ("Prefer", "wait=\(wait)")])
        guard let state = answer["state"] as? String else { throw Self.unexpected(answer) }
        return state
    }

    private func ask(
        _ method: String, _ server: ServerProcess, _ path: String, token: String? = nil, _ body: String? = nil,
        headers: [(String, String)] = []
    ) async throws -> [String: Any] {
        var request = HTTPClientRequest(url: server.address + path)
        request.method = .init(rawValue: method)
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: body))
        }
        let response = try await client.execute(request, timeout: .seconds(60))
        let data = Data(try await response.body.collect(upTo: 1 << 20).readableBytesView)
        return (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
    }

    private static func unexpected(_ answer: [String: Any]) -> FarewellError {
        FarewellError("bench.answer", .ours, "The server answered something else: \(answer).")
    }
}
