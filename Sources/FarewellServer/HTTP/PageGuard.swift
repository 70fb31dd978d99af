// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import Foundation
import HTTPTypes

/// Whether a form comes from one of our own pages, in the browser it was made for (item 31).
struct PageGuard: Sendable {
    /// Makes only the tokens of forms, for one kind of pages.
    let key: PurposeKey
    /// The origin that the settings name.
    let origin: String
    /// Whether users reach the pages by `https`, at a proxy or here.
    let isSecure: Bool

    /// The token of a form, bound to the browser and its signed-in user.
    func token(visit: String, session: String?) -> String { key.text(Self.fields(visit, session)) }

    func isOurs(_ token: String, visit: String?, session: String?) -> Bool {
        guard let visit else { return false }
        return key.accepts(token, Self.fields(visit, session))
    }

    /// A missing session differs from a session with an empty name.
    private static func fields(_ visit: String, _ session: String?) -> [String] {
        [visit] + (session.map { [$0] } ?? [])
    }

    /// Whether the browser states that the request comes from a page of this origin. A browser without `Sec-Fetch-Site`
    /// must send the origin, scheme included: an `http` page of the same host is foreign, because anyone on the network
    /// path may have written it. A request without any origin is refused.
    func isFromHere(_ headers: HTTPFields, authority: String?) -> Bool {
        if let site = headers[.fetchSite] { return site == "same-origin" }
        guard let named = headers[.origin] else { return false }
        let scheme = isSecure ? "https" : "http"
        let isHost = authority.map { !$0.isEmpty && named.isExactly("\(scheme)://\($0)") } ?? false
        return isHost || !origin.isEmpty && named.isExactly(origin)
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
