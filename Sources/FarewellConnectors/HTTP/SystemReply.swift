// SPDX-License-Identifier: Apache-2.0

import Farewell

/// What an outside system answered: untrusted, and bounded in size.
package struct SystemReply: Sendable {
    package var status: Int
    /// By name in small letters; of several of one name the first.
    package var headers: [String: String]
    package var body: [UInt8]

    package init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers.mapValues(\.streamSafe)
        self.body = body
    }

    private static let depth = 32

    /// The body as JSON. A page, a fragment or nothing is no answer.
    ///
    /// - Throws: `ConnectorFault.garbled`.
    package func json(from system: String) throws -> JSONValue {
        guard headers["content-type"]?.lowercased().contains("json") == true else {
            throw ConnectorFault.garbled(system, "it is not JSON")
        }
        do {
            return try StrictJSON.value(body, depth: Self.depth, marks: .separated)
        } catch {
            throw ConnectorFault.garbled(system, "its JSON cannot be read")
        }
    }

    /// How long the system wants to be left alone, in seconds.
    package func retryAfter(at now: Double) -> Double? {
        guard let text = headers["retry-after"] else { return nil }
        if let seconds = Double(text) { return seconds.isFinite && seconds >= 0 ? min(seconds, 86_400) : nil }
        return HTTPDate.seconds(text).map { min(max($0 - now, 0), 86_400) }
    }
}

/// The date of HTTP (RFC 9110, 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Seconds since 1970; `nil` for another form.
    static func seconds(_ text: String) -> Double? {
        let words = text.split { $0 == " " || $0 == "," || $0 == ":" }
        guard words.count == 8, let day = Int(words[1]), let month = months.firstIndex(of: String(words[2])),
            let year = Int(words[3]), let hour = Int(words[4]), let minute = Int(words[5]), let second = Int(words[6]),
            (1970...9999).contains(year), (1...31).contains(day), (0...23).contains(hour), (0...59).contains(minute),
            (0...60).contains(second), words[7] == "GMT"
        else { return nil }
        return Double(days(year, month + 1, day) * 86_400 + hour * 3_600 + minute * 60 + second)
    }

    /// Days since 1970 in the calendar of today.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let moved = month <= 2 ? year - 1 : year
        let era = moved / 400
        let ofEra = moved - era * 400
        let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    }
}
