// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Subprocess
import Testing

/// A server that listens, and what one can ask of it.
struct RunningServer: Sendable {
    let url: String
    let folder: URL
    /// Its output before it began to listen.
    let said: String
    let process: ProcessIdentifier

    var auth: String { url + "/auth/v1" }
    var port: Int { Int(url.split(separator: ":").last ?? "") ?? 0 }

    func signal(_ number: Int32) { kill(process.value, number) }

    // MARK: Asking

    func ask(
        _ method: HTTPMethod, _ path: String, token: String? = nil, json: String? = nil,
        headers: [String: String] = [:], by client: HTTPClient = .shared
    ) async throws -> ServerAnswer {
        var request = HTTPClientRequest(url: url + path)
        request.method = method
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let json {
            request.headers.replaceOrAdd(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: json))
        }
        let response = try await client.execute(request, timeout: .seconds(600))
        let body = try await response.body.collect(upTo: 1 << 24)
        return ServerAnswer(
            status: Int(response.status.code), headers: response.headers, body: Data(body.readableBytesView))
    }

    /// Sends a body as it is.
    func send(_ path: String, _ body: String, _ headers: [String: String]) async throws -> ServerAnswer {
        var request = HTTPClientRequest(url: url + path)
        request.method = .POST
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
        request.body = .bytes(ByteBuffer(string: body))
        // Where an answer leads is looked at, not followed.
        let client = HTTPClient(configuration: .init(redirectConfiguration: .disallow))
        do {
            let response = try await client.execute(request, timeout: .seconds(600))
            let bytes = try await response.body.collect(upTo: 1 << 20)
            try await client.shutdown()
            return ServerAnswer(
                status: Int(response.status.code), headers: response.headers, body: Data(bytes.readableBytesView))
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    /// `/metrics`, on the operators' own address (`ServerPlace.offeringMetrics`).
    func metrics() async throws -> ServerAnswer { try await operations(.GET, "/metrics") }

    /// Asks at the operators' own address.
    func operations(
        _ method: HTTPMethod, _ path: String, headers: [String: String] = [:]
    ) async throws -> ServerAnswer {
        let port = try String(contentsOf: folder.appendingPathComponent("operations.port"), encoding: .utf8)
        let operations = RunningServer(url: "http://127.0.0.1:\(port)", folder: folder, said: said, process: process)
        return try await operations.ask(method, path, headers: headers)
    }

    /// Signs a new user up and in.
    func person(_ email: String = "p-\(UUID().uuidString.lowercased())@example.org") async throws -> SignedIn {
        let answer = try await ask(.POST, "/auth/v1/signup", json: #"{"email":"\#(email)","password":"\#(SignedIn.password)"}"#)
        return try #require(SignedIn(answer, email: email), "\(answer)")
    }

    func signIn(_ email: String, headers: [String: String] = [:]) async throws -> SignedIn {
        let answer = try await ask(
            .POST, "/auth/v1/token?grant_type=password",
            json: #"{"email":"\#(email)","password":"\#(SignedIn.password)"}"#, headers: headers)
        return try #require(SignedIn(answer, email: email), "\(answer)")
    }

    func refresh(_ token: String) async throws -> ServerAnswer {
        try await ask(.POST, "/auth/v1/token?grant_type=refresh_token", json: #"{"refresh_token":"\#(token)"}"#)
    }

    func isAccepted(_ token: String) async throws -> Bool {
        try await ask(.GET, "/auth/v1/user", token: token).status == 200
    }

    /// The operators' token.
    func serviceKey() throws -> String {
        let file = folder.appendingPathComponent(".farewell/service.key")
        return try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func followerKey() throws -> String {
        let file = folder.appendingPathComponent(".farewell/follower.key")
        return try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

struct ServerAnswer: Sendable, CustomStringConvertible {
    let status: Int
    let headers: HTTPHeaders
    let body: Data

    var text: String { String(decoding: body, as: UTF8.self) }
    var json: [String: Any] { (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:] }
    var code: String? { json["error_code"] as? String }
    var description: String { "\(status) \(text.prefix(500))" }
}

/// A device's values after a sign-in.
struct SignedIn: Sendable {
    static let password = "correct horse battery staple"
    let email: String
    let access: String
    let refresh: String
    let ticket: String
    let session: String

    init?(_ answer: ServerAnswer, email: String) {
        let json = answer.json
        guard let access = json["access_token"] as? String, let refresh = json["refresh_token"] as? String,
            let ticket = json["sign_out_ticket"] as? String, let session = answer.headers["sb-auth-session-id"].first
        else { return nil }
        self.email = email
        self.access = access
        self.refresh = refresh
        self.ticket = ticket
        self.session = session
    }
}
