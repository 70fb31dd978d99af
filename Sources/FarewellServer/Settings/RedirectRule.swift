// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The permitted targets of a link after its token was used: tokens go along, so only addresses that the settings name.
struct RedirectRule: Sendable {
    let site: String
    let allowed: [String]

    /// The requested address without its fragment if it is allowed, otherwise the site.
    func target(_ wanted: String?) -> String {
        guard let wanted, let address = Self.plain(wanted) else { return site }
        let bare = address.prefix { $0 != "?" }
        let origin = PageGuard.origin(of: site)
        let isOfSite = !origin.isEmpty && (bare == origin || bare.utf8.starts(with: (origin + "/").utf8))
        let isNamed = allowed.contains { entry in
            bare == entry || entry.utf8.last == UInt8(ascii: "/") && bare.utf8.starts(with: entry.utf8)
        }
        return isOfSite || isNamed ? address : site
    }

    /// Whether an entry of the settings is a whole address: a prefix `https://host` alone would also match longer host
    /// names.
    static func isAddress(_ entry: String) -> Bool { plain(entry) == entry }

    /// Whether an observer on the network path could read the tokens in it.
    static func isExposed(_ entry: String) -> Bool {
        guard let parts = URLComponents(string: entry), parts.scheme?.lowercased() == "http" else { return false }
        return !AcceptedHosts.isLoopback(parts.host ?? "")
    }

    /// An address without its fragment; nil for what browsers and we might read in different ways.
    private static func plain(_ text: String) -> String? {
        guard text.utf8.count <= 2_048, text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return nil }
        let address = String(text.prefix { $0 != "#" })
        guard let parts = URLComponents(string: address), let scheme = parts.scheme?.lowercased(),
            !["javascript", "data", "vbscript", "file", "blob"].contains(scheme), address.contains("://"),
            parts.user == nil, parts.password == nil, parts.host?.isEmpty == false,
            !parts.path.split(separator: "/").contains("..")
        else { return nil }
        return address
    }
}
