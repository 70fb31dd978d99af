// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

extension HTTPExchange.Request {
    /// A request whose body is this object.
    static func json(
        _ method: String, _ url: URL, fields: [String: String] = [:], _ body: [String: JSONValue]? = nil
    ) throws(ProviderFailure) -> HTTPExchange.Request {
        var request = HTTPExchange.Request(method, url, fields: fields)
        request.fields["Accept"] = "application/json"
        guard let body else { return request }
        do {
            request.body = try CanonicalJSON.data(JSONValue.object(body))
        } catch {
            throw .refused(FarewellError("device.request", .ours, "A request could not be written."))
        }
        if request.fields["Content-Type"] == nil { request.fields["Content-Type"] = "application/json" }
        return request
    }

    /// The same, with a token to open the door.
    func bearing(_ token: Token) -> HTTPExchange.Request {
        var request = self
        request.fields["Authorization"] = token.reveal { "Bearer \($0)" }
        return request
    }
}

extension HTTPTransport {
    /// Sends a request to an interface whose answers are JSON or empty.
    ///
    /// - Parameter takesText: Whether a success may also be a line of plain text, such as `OK`: many frameworks of an
    ///   app's own backend answer so.
    /// - Throws: `unavailable` also for a success with another body, such as a page, or half an answer: it comes from
    ///   something in between, and says nothing.
    func ask(
        _ request: HTTPExchange.Request, takesText: Bool = false
    ) async throws(ProviderFailure) -> HTTPExchange.Answer {
        let answer = try await send(request)
        let isWhole = answer.isEmpty || answer.json != nil || takesText && answer.isPlainText
        guard !answer.isSuccess || isWhole else { throw .unavailable(.oddAnswer) }
        return answer
    }
}

extension FarewellError {
    static let oddAnswer = FarewellError(
        "device.odd-answer", .tryAgain, "The answer is not from the server of this app.")
}

extension HTTPExchange.Answer {
    /// Whether the body has only white space.
    var isEmpty: Bool { body.allSatisfy { $0 == 0x20 || (0x09...0x0d).contains($0) } }

    /// Whether the body is neither a page nor the beginning of JSON. Many frameworks call every text HTML.
    var isPlainText: Bool {
        let isPage =
            fields["content-type"]?.lowercased().contains("html") == true && body.contains(UInt8(ascii: "<"))
        let first = body.first { $0 != 0x20 && !(0x09...0x0d).contains($0) }
        return !isPage && first.map { !Array("<{[\"".utf8).contains($0) } ?? false
    }

    var isSuccess: Bool { (200..<300).contains(status) }

    /// The body as JSON; `nil` for any other body.
    var json: JSONValue? { try? CanonicalJSON.value(JSONValue.self, from: body) }

    /// The server's time (RFC 9110, 6.6.1).
    var date: Date? { fields["date"].flatMap(HTTPDate.seconds).map { Date(timeIntervalSince1970: $0) } }
}
