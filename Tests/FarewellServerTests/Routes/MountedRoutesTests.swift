// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
@testable import FarewellServer
import FarewellSQL
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Metrics
import NIOCore
import Testing
import Tracing

@Suite("The routes in another application")
struct MountedRoutesTests {
    /// A server over a database in a temporary folder, mounted below `root` of another application.
    private func mounted(
        below root: String = "", world: ServerWorld = .live(), settings: ServerSettings = ServerSettings(),
        tracer: any Tracer = NoOpTracer(),
        _ use: @Sendable (any TestClientProtocol, FarewellServer) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mounted-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let database = try openDatabase(
            "sqlite:\(folder)/app.sqlite", sqlite: SQLiteConfiguration(access: .createIfMissing))
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var rules = AuthoritySettings(issuer: "https://auth.example/auth/v1")
        rules.passwordCost = ScryptCost(logN: 4, blockSize: 1, parallelism: 1)
        let authority = try await SessionAuthority.open(
            database, settings: rules, state: folder + "/state", environment: .live(log: log))
        let server = FarewellServer(
            authority, settings: settings, followerKey: "a follower's key", metrics: MetricsRegistry(),
            tracer: tracer, world: world, log: log)
        let router = Router()
        router.get("own") { _, _ in "the application's own" }
        server.addRoutes(to: router.group(RouterPath(root)))
        try await Application(router: router, logger: log).test(.router) { client in
            try await use(client, server)
        }
        await database.close()
    }

    private func status(
        _ path: String, _ headers: HTTPFields, _ client: any TestClientProtocol
    ) async throws -> HTTPResponse.Status {
        try await client.execute(uri: path, method: .get, headers: headers).status
    }

    @Test("the routes and the description match")
    func description() async throws {
        try await mounted { client, server in
            let answer = try await client.execute(uri: "/openapi.json", method: .get)
            let object = try JSONSerialization.jsonObject(with: Data(answer.body.readableBytesView))
            let document = try #require(object as? [String: Any])
            let paths = try #require(document["paths"] as? [String: [String: Any]])
            var described: Set<String> = []
            for (path, operations) in paths {
                let address = path.replacing("{id}", with: "00000000-0000-4000-8000-000000000000")
                let head = try await client.execute(uri: address, method: .head)
                #expect(head.body.readableBytes == 0, "what follows would be taken for the next answer: \(path)")
                // The feed has no end to wait for.
                let methods = ["get", "post", "put", "patch", "delete", "trace", "lock", "propfind"]
                for method in methods where "\(method) \(path)" != "get /v1/revocations" {
                    let name = try #require(HTTPRequest.Method(method.uppercased()))
                    let response = try await client.execute(uri: address, method: name)
                    if let operation = operations[method] as? [String: Any] {
                        described.insert("\(method.uppercased()) \(path)")
                        let statuses = try #require(operation["responses"] as? [String: Any]).keys
                        #expect(statuses.contains(String(response.status.code)), "\(method) \(path) \(response.status)")
                        #expect(statuses.allSatisfy { Int($0) != nil }, "\(method) \(path) may answer anything")
                    } else {
                        #expect(response.status == .methodNotAllowed, "\(method) \(path)")
                        #expect(response.headers[.allow]?.isEmpty == false)
                    }
                }
            }
            let offered = Set(server.routes.map { "\($0.method.rawValue) \($0.path)" })
            #expect(described.union(["GET /v1/revocations"]) == offered)
        }
    }

    @Test("everything that the description names exists, and each operation appears once")
    func names() async throws {
        try await ErasureMount.with { mount in
            let answer = try await mount.ask(.get, "/openapi.json")
            for match in answer.text.matches(of: #/#\/components\/schemas\/([A-Za-z]+)/#) {
                #expect(APISchemas.all.contains { $0.0 == match.1 }, "\(match.1)")
            }
            let document = answer.json
            let refusals = try #require((document["components"] as? [String: Any])?["responses"] as? [String: Any])
            for match in answer.text.matches(of: #/#\/components\/responses\/([A-Za-z0-9]+)/#) {
                #expect(refusals[String(match.1)] != nil, "\(match.1)")
            }
            let ids = mount.server.routes.map(\.operation.id)
            #expect(Set(ids).count == ids.count, "\(ids)")
        }
    }

    @Test("the description lists every status of the error tables, except the status for an unsupported method")
    func refusals() {
        let tables = [ErrorStatus.contract, ErrorStatus.erasures, ErrorStatus.exports].flatMap(\.values).map(\.code)
        #expect(Set(tables).subtracting(RouteRefusals.meanings.map { $0.status }) == [405])
    }

    @Test("DX-2 the description lists the codes of every route, by the status that the server gives them")
    func codes() async throws {
        try await ErasureMount.with { mount in
            let document = try await mount.ask(.get, "/openapi.json").json
            let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
            for route in mount.server.routes {
                let operation = try #require(paths[route.path]?[route.method.rawValue.lowercased()], "\(route.path)")
                let listed = try #require(operation["x-error-codes"] as? [String: [String]], "\(route.path)")
                let codes = RouteRefusals.codes(of: route)
                #expect(listed == Dictionary(uniqueKeysWithValues: codes.map { (String($0.key), $0.value.sorted()) }))
                #expect(Set(listed.keys).isSubset(of: try #require(operation["responses"] as? [String: Any]).keys))
                // Only a user whose token is refused, and a path without an identifier, change the status of a code.
                for (status, code) in codes.flatMap({ codes in codes.value.map { (codes.key, $0) } }) where status != 401 {
                    guard let usual = ErrorStatus.contract[code] ?? ErrorStatus.erasures[code] ?? ErrorStatus.exports[code]
                    else { continue }
                    let error = FarewellError(.init(rawValue: "auth." + code), .yoursToFix, code)
                    let fitting = [usual.code, ErrorStatus.status(of: error, at: route.place).code, 400, 404, 503]
                    #expect(fitting.contains(status), "\(route.method) \(route.path): \(status) \(code)")
                }
            }
        }
    }

    @Test("mounted beside other routes, the routes do not affect them")
    func beside() async throws {
        try await mounted(below: "/identity") { client, _ in
            let status1 = try await status("/own", [:], client)
            #expect(status1 == .ok)
            let status2 = try await status("/identity/auth/v1/health", [:], client)
            #expect(status2 == .ok)
            let status3 = try await status("/auth/v1/health", [:], client)
            #expect(status3 == .notFound)
        }
    }

    @Test("SRV-06 /metrics is not among the public routes: operators mount it on a private port, and no web page can read it")
    func operations() async throws {
        try await mounted { client, server in
            #expect(try await status("/metrics", [:], client) == .notFound)
            let router = Router()
            server.addOperationRoutes(to: router)
            try await Application(router: router, logger: server.log).test(.router) { operators in
                let origin: HTTPFields = [.origin: "https://app.example"]
                let answer = try await operators.execute(uri: "/metrics", method: .get, headers: origin)
                #expect(answer.status == .ok && String(buffer: answer.body).contains("farewell_http_requests_in_flight"))
                #expect(answer.headers[.accessControlAllowOrigin] == nil)
                for path in ["/healthz", "/readyz", "/openapi.json"] { #expect(try await status(path, [:], operators) == .ok) }
                #expect(try await status("/auth/v1/health", [:], operators) == .notFound)
                for (host, expected) in [("evil.example", 421), ("10.0.0.7:9101", 200), ("[::1]:9101", 200), ("localhost", 200)] {
                    let head = HTTPRequest(method: .get, scheme: "http", authority: host, path: "/metrics")
                    let arrival = Arrival(address: nil, parameters: [:], log: server.log, connection: nil)
                    let route = try #require(OperationRoutes(server: server).ofOperators.first { $0.path == "/metrics" })
                    let answer = await server.operationsRunner.answer(
                        Request(head: head, body: RequestBody(buffer: ByteBuffer())), route, arrival)
                    #expect(answer.status.code == expected, "a page whose name leads here reads no counters: \(host)")
                }
            }
        }
        var settings = ServerSettings()
        settings.openAPI = .none
        try await mounted(settings: settings) { client, _ in
            let description = try await status("/openapi.json", [:], client)
            let health = try await status("/healthz", [:], client)
            #expect(description == .notFound && health == .ok)
        }
    }

    @Test("SC-4 SRV-04 mounted in another application, the routes answer only to accepted host names")
    func hosts() async throws {
        var settings = ServerSettings()
        settings.acceptedHosts = ["id.example.org"]
        try await mounted(settings: settings) { client, _ in
            for path in ["/auth/v1/health", "/auth/v1/user", "/openapi.json", "/v1/revocations"] {
                let headers: HTTPFields = [.origin: "https://app.example"]
                let answer = try await client.execute(uri: path, method: .get, headers: headers)
                #expect(answer.status == .misdirectedRequest, "\(path)")
                #expect(String(buffer: answer.body).contains(#""error_code":"misdirected_request""#))
                #expect(answer.headers[.accessControlAllowOrigin] == nil && answer.headers[.requestIdentifier] != nil)
                let preflight = try await client.execute(uri: path, method: .options, headers: headers)
                #expect(preflight.status == .misdirectedRequest, "\(path)")
            }
            #expect(try await status("/own", [:], client) == .ok, "what is the application's own is not looked at")
            #expect(try await status("/healthz", [:], client) == .ok)
            #expect(try await status("/readyz", [:], client) == .ok)
        }
    }

    @Test("Item 32: every answer carries the headers that restrict browsers, and its request's name")
    func fields() async throws {
        try await mounted { client, _ in
            for (method, path) in [(HTTPRequest.Method.get, "/auth/v1/user"), (.get, "/healthz"), (.delete, "/healthz")] {
                let response = try await client.execute(uri: path, method: method, headers: [.requestIdentifier: "call-1"])
                #expect(response.headers[.contentTypeOptions] == "nosniff")
                #expect(response.headers[.frameOptions] == "DENY")
                #expect(response.headers[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true)
                #expect(response.headers[.requestIdentifier] == "call-1")
                #expect(response.headers[.cacheControl]?.isEmpty == false)
            }
        }
    }

    @Test("a call beyond its time limit gets 504, with an error in the contract's words")
    func timeout() async throws {
        var world = ServerWorld.live()
        // Time is up as soon as a task waits.
        world.sleep = { _ in }
        try await mounted(world: world) { client, _ in
            let body = ByteBuffer(string: #"{"email":"a@example.org","password":"correct horse battery"}"#)
            var codes: Set<Int> = []
            for _ in 0..<20 {
                let response = try await client.execute(uri: "/auth/v1/signup", method: .post, body: body)
                codes.insert(response.status.code)
                if response.status == .gatewayTimeout {
                    #expect(String(buffer: response.body).contains("request_timeout"))
                }
            }
            #expect(codes.contains(504), "\(codes)")
        }
    }

    @Test("where no mail is sent, a request for a mail gets an error that says so, instead of one about a missing address")
    func noMail() async throws {
        try await mounted { client, _ in
            let body = ByteBuffer(string: #"{"email":"a@example.org","password":"correct horse battery"}"#)
            let signUp = try await client.execute(uri: "/auth/v1/signup", method: .post, body: body)
            let object = try JSONSerialization.jsonObject(with: Data(signUp.body.readableBytesView))
            let token = try #require((object as? [String: Any])?["access_token"] as? String)
            let response = try await client.execute(
                uri: "/auth/v1/reauthenticate", method: .get, headers: [.authorization: "Bearer \(token)"])
            #expect(response.status == .unprocessableContent)
            #expect(String(buffer: response.body).contains("No mail is sent here"), "\(String(buffer: response.body))")
        }
    }

    @Test("a call continues its caller's trace in the application's tracer; a call without one begins a trace")
    func traces() async throws {
        let spans = Guarded<[FinishedSpan]>([])
        let tracer = TraceTracer(percent: 100, makeIdentifier: { UUID() }, now: { Date() }) { span in
            spans.withLock { $0.append(span) }
        }
        try await mounted(tracer: tracer) { client, _ in
            let trace = "0af7651916cd43dd8448eb211c80319c"
            let sampled: HTTPFields = [.traceParent: "00-\(trace)-b7ad6b7169203331-01", .traceState: "vendor=1"]
            #expect(try await status("/auth/v1/user?secret=1", sampled, client) == .unauthorized)
            let silent: HTTPFields = [.traceParent: "00-\(trace)-b7ad6b7169203331-00"]
            #expect(try await status("/auth/v1/user", silent, client) == .unauthorized)
            #expect(try await status("/auth/v1/health", [.traceParent: "nonsense"], client) == .ok)
            let ended = spans.withLock { $0 }
            try #require(ended.count == 2, "whom the caller does not record is not recorded")
            #expect(ended[0].context.trace == trace && ended[0].parent == "b7ad6b7169203331")
            #expect(ended[0].context.state == "vendor=1" && ended[0].kind == .server)
            #expect(ended[0].name == "GET /auth/v1/user")
            #expect(ended[0].attributes.get("http.response.status_code") == .int64(401))
            #expect(!"\(ended[0].attributes)".contains("secret"))
            #expect(ended[1].context.trace != trace && ended[1].parent == nil)
        }
    }

    @Test("followers of revocations need a key, and their number is limited")
    func followers() async throws {
        var settings = ServerSettings()
        settings.limits.followers = 0
        try await mounted(settings: settings) { client, _ in
            let path = "/v1/revocations"
            let status4 = try await status(path, [:], client)
            #expect(status4 == .unauthorized)
            let wrong: HTTPFields = [.authorization: "Bearer a follower's kex"]
            let status5 = try await status(path, wrong, client)
            #expect(status5 == .unauthorized)
            let right: HTTPFields = [.authorization: "Bearer a-follower"]
            let status6 = try await status(path, right, client)
            #expect(status6 == .forbidden)
        }
    }
}
