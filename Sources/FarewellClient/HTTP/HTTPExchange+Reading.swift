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

extension HTTPExchange.Answer {
    /// Whether the service says that it did what it was asked. A page is the answer of another one: of a portal, or of
    /// a web app that answers every address with its start page.
    var isSuccess: Bool { (200..<300).contains(status) && !isPage }

    /// Whether the body is a page of HTML.
    var isPage: Bool {
        if fields["content-type"]?.lowercased().contains("html") == true { return true }
        return body.first { ![0x09, 0x0a, 0x0d, 0x20].contains($0) } == UInt8(ascii: "<")
    }

    /// The body as JSON; `nil` for any other body.
    var json: JSONValue? { try? CanonicalJSON.value(JSONValue.self, from: body) }

    /// The server's time (RFC 9110, 6.6.1).
    var date: Date? { fields["date"].flatMap(HTTPDate.seconds).map { Date(timeIntervalSince1970: $0) } }
}
