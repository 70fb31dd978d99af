// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The cookies of the pages: no script can read them, and no other site can send them.
enum PageCookie: String, CaseIterable, Sendable {
    /// A random name of this browser, to which forms are bound.
    case visit
    /// The access token of the session that began here.
    case session
    /// The ticket of an erasure, made before the request.
    case ticket
    /// A random secret of this browser, which an account that signed in here knows it by.
    case device
    /// The text that the next page shows once.
    case note
    /// The name of an operator's console session: random; the server keeps its hash.
    case console

    func name(isSecure: Bool) -> String { (isSecure ? "__Host-" : "") + "farewell-" + rawValue }

    /// How long it is kept, in seconds; nil ends with the browser.
    private var life: Int? {
        switch self {
        case .ticket: 40 * 86_400
        case .device: 180 * 86_400
        case .note: 60
        case .visit, .session, .console: nil
        }
    }

    /// `Set-Cookie` (RFC 6265), with `Secure` and the prefix `__Host-` if the pages use TLS.
    func field(_ value: String, isSecure: Bool) -> String {
        var text = "\(name(isSecure: isSecure))=\(value); Path=/; HttpOnly; SameSite=Strict"
        if isSecure { text += "; Secure" }
        if let life = value.isEmpty ? 0 : life { text += "; Max-Age=\(life)" }
        return text
    }
}

/// The cookies of one request. A cookie without a name is none, and of a name with two values neither counts: a page of
/// a neighbouring host may have set one of them.
struct PageCookies: Sendable {
    /// Nil for a name with two values.
    private var values: [String: String?] = [:]
    private let isSecure: Bool

    init(_ headers: HTTPFields, isSecure: Bool) {
        self.isSecure = isSecure
        for header in headers[values: .cookie] {
            for pair in header.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let name = String(parts[0].drop { $0 == " " })
                guard parts.count == 2, !name.isEmpty else { continue }
                let value = String(parts[1])
                if let known = values[name], known != value {
                    values[name] = .some(nil)
                } else {
                    values[name] = value
                }
            }
        }
    }

    subscript(_ cookie: PageCookie) -> String? {
        guard let value = values[cookie.name(isSecure: isSecure)] ?? nil else { return nil }
        return (1...8_192).contains(value.utf8.count) ? value : nil
    }
}
