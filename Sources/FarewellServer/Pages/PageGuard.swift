// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import Foundation
import HTTPTypes

/// Whether a form comes from one of our own pages, in the browser it was made for (item 31).
struct PageGuard: Sendable {
    /// Makes the tokens of forms: of one kind of pages, and nothing else.
    let key: PurposeKey
    /// The origin that the settings name.
    let origin: String
    /// Whether people reach the pages by `https`, at a proxy or here.
    let isSecure: Bool

    /// What a form bears: bound to the browser and to who is signed in there.
    func token(visit: String, session: String?) -> String { key.text(Self.fields(visit, session)) }

    func isOurs(_ token: String, visit: String?, session: String?) -> Bool {
        guard let visit else { return false }
        return key.accepts(token, Self.fields(visit, session))
    }

    /// Nobody's session is not the session without a name.
    private static func fields(_ visit: String, _ session: String?) -> [String] {
        [visit] + (session.map { [$0] } ?? [])
    }

    /// Whether the browser says that the request comes from a page of this very origin. One that does not tell by
    /// `Sec-Fetch-Site` must name the origin, scheme included: a page of the same host by `http` is another's, for
    /// anybody on the way may have written it. One that names none is refused.
    func isFromHere(_ headers: HTTPFields, authority: String?) -> Bool {
        if let site = headers[.fetchSite] { return site == "same-origin" }
        guard let named = headers[.origin] else { return false }
        let scheme = isSecure ? "https" : "http"
        let isHost = authority.map { !$0.isEmpty && named == "\(scheme)://\($0)" } ?? false
        return isHost || !origin.isEmpty && named == origin
    }

    /// `scheme://host:port` of an address.
    static func origin(of address: String) -> String {
        guard let start = address.range(of: "://") else { return "" }
        return String(address[..<start.upperBound] + address[start.upperBound...].prefix { $0 != "/" })
    }
}

extension HTTPField.Name {
    static let fetchSite = HTTPFieldNames.name("Sec-Fetch-Site")
    static let languages = HTTPFieldNames.name("Accept-Language")
    static let disposition = HTTPFieldNames.name("Content-Disposition")
    static let clearSiteData = HTTPFieldNames.name("Clear-Site-Data")
}
