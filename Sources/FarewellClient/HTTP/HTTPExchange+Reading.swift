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
            request.body = try JSONEncoder().encode(JSONValue.object(body))
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
    var isSuccess: Bool { (200..<300).contains(status) }

    /// The body as JSON; `nil` for anything else.
    var json: JSONValue? { try? CanonicalJSON.value(JSONValue.self, from: body) }

    /// The server's time (RFC 9110, 6.6.1).
    var date: Date? { fields["date"].flatMap(HTTPDate.date) }
}

/// Dates as HTTP writes them: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    static func date(_ text: String) -> Date? {
        let parts = text.split { " :".contains($0) }
        guard parts.count == 8, parts[7] == "GMT", let day = Int(parts[1]), let year = Int(parts[3]),
            let month = months.firstIndex(of: String(parts[2])), let hour = Int(parts[4]), let minute = Int(parts[5]),
            let second = Int(parts[6]), (1970...9999).contains(year), (1...31).contains(day), (0...23).contains(hour),
            (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar.date(
            from: DateComponents(
                year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second))
    }
}
