// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Farewell
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1

/// The state of a browser: its cookies, and the form of the last page.
struct CookieJar {
    var cookies: [String: String] = [:]
    var form = ""

    mutating func take(_ answer: ServerAnswer) {
        for field in answer.headers["set-cookie"] {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            cookies[String(pair[0])] = pair.count == 2 ? String(pair[1]) : nil
        }
        if let match = answer.text.firstMatch(of: #/name="form" value="([^"]+)"/#) { form = String(match.1) }
    }
}

extension Guarded<CookieJar> {
    func page(_ server: RunningServer, _ path: String) async throws -> ServerAnswer {
        try await ask(server, .GET, path, nil)
    }

    func send(_ server: RunningServer, _ path: String, _ fields: [String: String]) async throws -> ServerAnswer {
        var fields = fields
        fields["form"] = withLock { $0.form }
        return try await ask(server, .POST, path, fields)
    }

    private func ask(
        _ server: RunningServer, _ method: HTTPMethod, _ path: String, _ fields: [String: String]?
    ) async throws -> ServerAnswer {
        let cookies = withLock { $0.cookies.map { "\($0)=\($1)" }.joined(separator: "; ") }
        let body = fields?.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
        var request = HTTPClientRequest(url: server.url + path)
        request.method = method
        request.headers = [
            "Cookie": cookies, "Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded",
        ]
        if let body { request.body = .bytes(ByteBuffer(string: body.joined(separator: "&"))) }
        // One that follows nothing: where a page leads is looked at.
        let client = HTTPClient(configuration: .init(redirectConfiguration: .disallow))
        do {
            let response = try await client.execute(request, timeout: .seconds(600))
            let bytes = try await response.body.collect(upTo: 1 << 20)
            let answer = ServerAnswer(
                status: Int(response.status.code), headers: response.headers, body: Data(bytes.readableBytesView))
            try await client.shutdown()
            withLock { $0.take(answer) }
            return answer
        } catch {
            try? await client.shutdown()
            throw error
        }
    }
}
