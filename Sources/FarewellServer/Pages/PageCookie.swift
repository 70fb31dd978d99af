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
    /// A random secret by which an account that signed in here recognises this browser.
    case device
    /// The text that the next page shows once.
    case note
    /// The name of an operator's console session: random; the server keeps its hash.
    case console

    func name(isSecure: Bool) -> String { (isSecure ? "__Host-" : "") + "farewell-" + rawValue }

    /// The lifetime in seconds; nil if the cookie ends with the browser.
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
